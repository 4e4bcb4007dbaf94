import type { PoolClient } from 'pg';
import { z } from 'zod';
import { inTransaction } from '#database';
import type { StoredOperation } from '#engine';
import { Refusal } from '../errors.ts';
import { startUpgradeCluster, startUpgradeKyma } from '../start-upgrade.ts';
import type { Answer, Api } from './api.ts';
import { orchestrators, route } from './operator-route.ts';
import { optionalBoolean, optionalText } from './read-request.ts';

export const kymaVersion = optionalVersion(
  /^(?:\d+\.\d+\.\d+[\w.+-]*|(?:PR|main)-\w+)$/,
  'a version like 2.20.5, PR-1234 or main-1a2b3c4d',
);
export const clusterVersion = optionalVersion(
  /^\d+\.\d+(?:\.\d+)?[\w.+-]*$/,
  'a version like 1.27.4',
);
const everyUpgrade = { dryRun: optionalBoolean, notification: optionalBoolean };

const KymaBody = onlyThese({ version: kymaVersion, ...everyUpgrade });
const ClusterBody = onlyThese({
  kubernetesVersion: clusterVersion,
  machineImage: optionalText(),
  machineImageVersion: clusterVersion,
  ...everyUpgrade,
});

export const upgradeRoutes = (api: Api) => [
  route({
    method: 'POST',
    path: '/upgrade/kyma/:instanceId',
    right: orchestrators,
    about:
      'Another version of Kyma for one runtime, now. Without a version it gets the one that its account should have',
    body: KymaBody,
    handle: ({ params: { instanceId = '' }, body }) =>
      accepted(api, (db) => startUpgradeKyma(api, instanceId, given(body), db)),
  }),
  route({
    method: 'POST',
    path: '/upgrade/cluster/:instanceId',
    right: orchestrators,
    about: 'Other versions for one cluster, now. What is not named becomes what the landscape has',
    body: ClusterBody,
    async handle({ params: { instanceId = '' }, body }) {
      const wanted = given(body);
      if (wanted.machineImageVersion !== undefined && wanted.machineImage === undefined)
        throw new Refusal(
          'MALFORMED_REQUEST',
          `machineImageVersion is ${wanted.machineImageVersion}: expected machineImage with it`,
        );
      return accepted(api, (db) => startUpgradeCluster(api, instanceId, wanted, db));
    },
  }),
];

async function accepted(
  { database }: Api,
  start: (db: PoolClient) => Promise<StoredOperation>,
): Promise<Answer> {
  const { id } = await inTransaction(database, start);
  return { status: 202, body: { operation: id } };
}

/** Somebody who misspells `dryRun` must not find out afterwards. */
export function onlyThese<Shape extends z.ZodRawShape>(shape: Shape) {
  const allowed = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `${issue.keys.join(', ')} is not known (allowed: ${allowed})`
        : undefined,
  });
}

function optionalVersion(pattern: RegExp, expected: string) {
  return optionalText(64).refine((version) => version === undefined || pattern.test(version), {
    error: ({ input }) => `is ${JSON.stringify(input)}: expected ${expected}`,
  });
}

/** Without what was left out. */
export function given<Fields extends object>(fields: Fields) {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}
