import assert from 'node:assert/strict';
import { withCluster } from '../../src/clients/provisioner/testing.ts';
import type { Landscape } from '../../src/landscape/testing.ts';

type Planted = { readonly account: string; readonly shoot: string };

/** So many in one request: what a request costs is most of what a runtime costs. */
const atOnce = 100;

/** Has the provisioner make them, which takes it half an hour or so; gives their ids, in the same order. */
export async function plantRuntimes(
  { url }: Landscape,
  wanted: readonly Planted[],
): Promise<string[]> {
  const ids = new Map<string, string>();
  for (const [tenant, ofAccount] of Map.groupBy(wanted, ({ account }) => account))
    for (let start = 0; start < ofAccount.length; start += atOnce) {
      const some = ofAccount.slice(start, start + atOnce);
      const response = await fetch(`${url}/provisioner/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', tenant, 'sub-account': 'sa-1' },
        body: JSON.stringify({ query: `mutation { ${some.map(order).join(' ')} }` }),
      });
      const { data, errors } = (await response.json()) as Answer;
      assert.equal(errors, undefined);
      for (const [index, { shoot }] of some.entries())
        ids.set(shoot, data[`r${index}`]?.runtimeID ?? assert.fail(`there is no ${shoot}`));
    }
  return wanted.map(({ shoot }) => ids.get(shoot) ?? assert.fail());
}

type Answer = {
  readonly data: Readonly<Record<string, { readonly runtimeID: string }>>;
  readonly errors?: unknown;
};

const order = ({ shoot }: Planted, index: number) =>
  `r${index}: provisionRuntime(config: ${literalOf(withCluster({ name: shoot }))}) { runtimeID }`;

/** In GraphQL the names of members stand without quotes; no text in there looks like one. */
const literalOf = (value: object) => JSON.stringify(value).replaceAll(/"(\w+)":/g, '$1:');
