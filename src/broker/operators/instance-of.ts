import type { StoredOperation } from '#engine';

/** Of these the subject is something else: a binding, an orchestration, a job. */
const ofBindings = ['bind', 'unbind', 'expire_binding'];
const ofNoInstance = ['orchestration', 'job'];

/** Whether operations of this type are about an instance, or about something that belongs to one. */
export const isAboutInstance = (type: string): boolean => !ofNoInstance.includes(type);

/** Whether the subject of such operations is the instance. */
export const isOfInstanceItself = (type: string): boolean =>
  isAboutInstance(type) && !ofBindings.includes(type);

/** The instance that an operation is about; of a binding, the one that it leads into. */
export function instanceOf({
  type,
  subject,
  facts,
}: Pick<StoredOperation, 'type' | 'subject' | 'facts'>): string | undefined {
  if (isOfInstanceItself(type)) return subject;
  const { instanceId } = facts;
  return isAboutInstance(type) && typeof instanceId === 'string' ? instanceId : undefined;
}
