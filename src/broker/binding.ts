import { createHash } from 'node:crypto';
import type { Secret } from '#database';
import type { BindingParameters } from './plans/binding-parameters.ts';

/** A way into a runtime that a platform has asked for, and what is known of it. */
export type Binding = {
  readonly id: string;
  readonly instanceId: string;
  readonly serviceId: string;
  readonly planId: string;
  readonly parameters: BindingParameters;
  readonly bindResource: BindResource;
  /** The binding that it replaces. */
  readonly predecessorId: string | undefined;
  /** Missing until they are made, and again once they are revoked. */
  readonly credentials: BindingCredentials | undefined;
  readonly expiresAt: Date | undefined;
  readonly isExpired: boolean;
  readonly createdAt: Date;
};

/** For what the platform wants it. */
export type BindResource = { readonly app_guid?: string; readonly route?: string };

export type BindingCredentials = {
  readonly kubeconfig: Secret;
  /** Where the API server is. */
  readonly server: string;
};

/** What all operations on a binding know from their start. */
export type BindingFacts = { readonly bindingId: string; readonly instanceId: string };

/** Of their operations. Not the instance's: a binding holds up nothing there. */
export const bindingSubject = (id: string): string => `binding:${id}`;

/** Of its account and role in the cluster. Ids are any text, names there are not. */
export function accessNameOf(bindingId: string): string {
  const isName = /^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/.test(bindingId);
  const last = isName
    ? bindingId
    : createHash('sha256').update(bindingId).digest('hex').slice(0, 40);
  return `kyma-binding-${last}`;
}
