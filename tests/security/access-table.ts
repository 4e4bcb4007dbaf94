import { join } from 'node:path';
import { format } from 'prettier';
import type { Place, Right } from '#access';
import { startApi } from '../../src/broker/api/testing.ts';
import { startProvisioner } from '../../src/provisioner/testing.ts';

/** What is kept under version control. */
export const tableFile = join(import.meta.dirname, '../../docs/access.md');

/** By service, as their running apps know them. */
export type Places = Readonly<Record<string, readonly Place[]>>;

export async function everyPlace(): Promise<Places> {
  await using broker = await startApi();
  const { landscape } = broker;
  await using provisioner = await startProvisioner({ landscape });
  return { Broker: broker.app.places, Provisioner: provisioner.app.places };
}

const introduction = `# Who may do what

Every endpoint of both services, and what it asks of its callers. Written by \`npm run access\` from what the services
serve; do not edit. \`tests/security/access.test.ts\` calls each of them without a token, with tokens of every wrong kind, and
with the right one.

Callers prove who they are with a bearer token of the issuer that \`OIDC_ISSUER_URL\` names: signed by one of its published
keys with an asymmetric algorithm, meant for \`OIDC_AUDIENCE\`, not expired, and good already. A _scope_ stands in the claim
\`scope\` or \`scp\`, a _group_ in the claim \`groups\`. Where \`BROKER_BASIC_USERNAME\` is set, that user has the scope
\`broker:write\`. Without valid credentials the answer is 401, without the right 403; an endpoint that is not listed here with a
right would be closed to everybody. HEAD asks for the same as GET.

Requests that change something (previews do not) are in the audit log of their service, with who asked, the client, the endpoint, the ids in its
path, the status, and the names, never the values, of what was sent: \`GET /audit\`. What operators do is recorded before it is
done (\`asked\`) and after; what platforms do, and mutations of the provisioner, once, before they are answered. When the log
cannot be written the answer is 503, and the act may have been done all the same; what operators ask for is not even
begun then. \`GET /audit/verify\` finds whatever was changed, removed, put in or cut off; its \`head\`, kept elsewhere and
given back later as \`?noted=<number>:<hash>\`, shows even a log that was written anew. Each service also logs its head once a
minute while the log grows. \`node bin/verify-audit.ts <schema> …\` does the same without the services.
`;

/** docs/access.md as it should be. */
export function accessTable(places: Places): Promise<string> {
  const sections = Object.entries(places).flatMap(([service, all]) => [
    `## ${service}`,
    [
      '| endpoint | who |',
      '| --- | --- |',
      ...listed(all).map(
        ({ method, path, right }) => `| \`${method} ${path}\` | ${right ? who(right) : 'nobody'} |`,
      ),
    ].join('\n'),
  ]);
  return format([introduction, ...sections].join('\n\n'), { parser: 'markdown' });
}

/** Each once; HEAD goes without saying. */
export const listed = (places: readonly Place[]): readonly Place[] =>
  places
    .filter(({ method }) => method !== 'HEAD')
    .toSorted((a, b) => compare(a.path, b.path) || compare(a.method, b.method));

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

function who(right: Right): string {
  if (right === 'everybody') return 'everybody';
  if (right === 'somebody') return 'everybody with a valid token';
  if ('scope' in right) return `scope \`${right.scope}\``;
  return `group ${right.anyGroupOf.map((group) => `\`${group}\``).join(' or ')}`;
}
