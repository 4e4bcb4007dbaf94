import { isDeepStrictEqual } from 'node:util';
import type { Binding } from '../binding.ts';

/** A request for a binding, checked. What a successor does not say is its predecessor's. */
export type AskedBinding = { readonly [Name in Asked]: Binding[Name] | undefined };
type Asked = 'serviceId' | 'planId' | 'parameters' | 'bindResource' | 'predecessorId';

/** Whether a request asks for what is there already. */
export function isSameBinding(binding: Binding, asked: AskedBinding): boolean {
  const isRotation = asked.predecessorId !== undefined;
  const bindResource = asked.bindResource ?? (isRotation ? binding.bindResource : {});
  return (
    (asked.serviceId ?? binding.serviceId) === binding.serviceId &&
    (asked.planId ?? binding.planId) === binding.planId &&
    asked.predecessorId === binding.predecessorId &&
    isDeepStrictEqual(asked.parameters ?? binding.parameters, binding.parameters) &&
    isDeepStrictEqual(bindResource, binding.bindResource)
  );
}
