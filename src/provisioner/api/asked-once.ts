import { defaultFieldResolver, type GraphQLFieldResolver } from 'graphql';

/**
 * What costs something is a function of its parent. In one request it is called once, however many names a caller
 * gives to the field: else one request would make hundreds of Gardener's.
 */
export function askedOnce(): GraphQLFieldResolver<unknown, unknown> {
  const answers = new WeakMap<object, Map<string, unknown>>();
  return (source, args, context, info) => {
    const { fieldName } = info;
    const isFunction =
      typeof source === 'object' &&
      source !== null &&
      typeof (source as Record<string, unknown>)[fieldName] === 'function'; // a field of the schema
    if (!isFunction) return defaultFieldResolver(source, args, context, info);
    const known = answers.get(source) ?? new Map<string, unknown>();
    answers.set(source, known);
    if (!known.has(fieldName))
      known.set(fieldName, defaultFieldResolver(source, args, context, info));
    return known.get(fieldName);
  };
}
