/** What is to be watched, by whom, and below which compound evaluation. */
export type NewEvaluation = {
  readonly name: string;
  readonly description: string;
  /** Without it, the name. */
  readonly service?: string;
  /** Probed from outside; without it the evaluation is fed from inside the cluster. */
  readonly url?: string;
  readonly testerAccessId: number;
  readonly groupId: number;
  readonly parentId: number;
  readonly tags: readonly Tag[];
};

export type Tag = {
  readonly content: string;
  readonly classId: number;
  readonly className: string;
};

const providerCodes: ReadonlyMap<string, string> = new Map([
  ['aws', 'AWS'],
  ['gcp', 'GCP'],
  ['openstack', 'CC'],
]);

/** Derived from what never changes, so that people find the evaluation of an instance, and any leaked twin of it. */
export function evaluationName(of: {
  readonly plan: string;
  readonly side: 'int' | 'ext';
  readonly instanceId: string;
  readonly runtimeName: string;
}): string {
  const provider = providerCodes.get(of.plan) ?? 'AZR';
  return cut(`K8S-${provider}-Kyma-${of.side}-${of.instanceId}-${of.runtimeName}`, longestName);
}

/** For the people who read alerts. It looks like JSON, but a long one is cut. */
export function evaluationDescription(of: {
  readonly instanceName: string;
  readonly globalAccountId: string;
  readonly subaccountId: string;
  readonly instanceId: string;
  readonly shootName: string;
}): string {
  const fields = Object.entries({
    instanceName: of.instanceName,
    globalAccountID: of.globalAccountId,
    subAccountID: of.subaccountId,
    instanceID: of.instanceId,
    shootName: of.shootName,
  }).map(([key, value]) => `"${key}": ${JSON.stringify(value)}`);
  return cut(`{${fields.join(', ')}}`, longestDescription);
}

/** As AvS wants it: every key present, and the threshold a text, though AvS answers with a number. */
export function creationBody(wanted: NewEvaluation): object {
  const name = cut(wanted.name, longestName);
  return {
    definition_type: 'BASIC',
    name,
    description: cut(wanted.description, longestDescription),
    service: wanted.service || name,
    url: wanted.url ?? '',
    check_type: wanted.url ? 'HTTPSGET' : '',
    interval: 60, // seconds
    tester_access_id: wanted.testerAccessId,
    timeout: 30_000, // milliseconds
    read_only: false,
    content_check: 'error',
    content_check_type: 'NOT_CONTAINS',
    threshold: '30000',
    group_id: wanted.groupId,
    visibility: 'PUBLIC',
    parent_id: wanted.parentId,
    tags: wanted.tags.map(tagBody),
  };
}

export const tagBody = ({ content, classId, className }: Tag): object => ({
  content,
  tag_class_id: classId,
  tag_class_name: className,
});

// In bytes.
const longestName = 80;
const longestDescription = 255;

/** Never in the middle of a character. */
function cut(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
