import type { Command } from 'commander';
import { command, examples } from '../command.ts';
import type { Surroundings } from '../surroundings.ts';
import { Problem } from '../problem.ts';
import { ask, patience } from '../service/http.ts';
import { acts, type Work } from '../work.ts';

export const version = (surroundings: Surroundings): Command =>
  command('version', 'Prints the versions of kcp and of the broker.')
    .option('--client', 'of kcp alone')
    .option('-o, --output <format>', 'json')
    .addHelpText('after', examples(['kcp version', 'both']))
    .action(
      acts<{ client?: boolean; output?: string }>(
        surroundings,
        async (work, { client, output }) => {
          const kcp = surroundings.version;
          const versions = { kcp, ...(!client && { broker: await brokerVersion(work) }) };
          if (output === 'json') work.screen.json(versions);
          else
            work.screen.print(...Object.entries(versions).map(([name, each]) => `${name} ${each}`));
        },
      ),
    );

/** Everybody may ask for it, without a login. */
async function brokerVersion({ settings, surroundings, trace }: Work): Promise<string> {
  const url = `${settings.require('keb-api-url')['keb-api-url']}/version`;
  const { signal } = surroundings;
  const response = await ask({ method: 'GET', url, signal, trace, within: patience });
  if (!response.ok) throw new Problem('error', `GET ${url}: ${response.status}`);
  return ((await response.json()) as { version: string }).version; // as the API's description says
}
