// Everything at once, for a first look: node bin/start.ts, or npm start.
import { BadSettings, readSettings, StartConfig } from '#config';
import { inWords } from './wiring/run-service.ts';
import { directoriesOf, startAll, type Addresses } from './wiring/start-all.ts';

try {
  const config = readSettings(StartConfig, process.env);
  const shutdown = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => shutdown.abort());
  await startAll(config, await directoriesOf(config), shutdown.signal, introduce);
} catch (error) {
  const message = inWords(error);
  if (message === undefined) throw error;
  console.error(message);
  process.exitCode = error instanceof BadSettings ? 2 : 1;
}

function introduce({ broker, provisioner, landscape }: Addresses): void {
  const tokens = `${landscape.replace('127.0.0.1', 'localhost')}/oauth2/token`;
  console.log(`
  broker       ${broker}   Open Service Broker API below /oauth/v2 and /oauth/<region>/v2
  console      ${broker}/   what every runtime does and waits for, in your browser
  provisioner  ${provisioner}   GraphQL at /graphql, and a page to try it
  landscape    ${landscape}   the outside systems, simulated: /_inventory, /_faults, /_requests, /_time

  client id demo, secret demo, token endpoint ${tokens}

Order a runtime:

  TOKEN=$(curl -s -u demo:demo -d grant_type=client_credentials ${tokens} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  curl -s -X PUT "${broker}/oauth/cf-eu20/v2/service_instances/my-first?accepts_incomplete=true" \\
    -H "Authorization: Bearer $TOKEN" -H "X-Broker-API-Version: 2.17" -H "Content-Type: application/json" -d '{
      "service_id": "47c9dcbf-ff30-448e-ab36-d3bad66ba281", "plan_id": "4deee563-e5ec-4731-b9b1-53b42d855f0c",
      "context": {"globalaccount_id": "ga-demo", "subaccount_id": "sa-demo", "user_id": "you@example.com"},
      "parameters": {"name": "my-first", "region": "westeurope"}}'

Watch it:   curl -s -H "Authorization: Bearer $TOKEN" -H "X-Broker-API-Version: 2.17" \\
              ${broker}/oauth/cf-eu20/v2/service_instances/my-first/last_operation
From order to removal in one go:   npm run demo
`);
}
