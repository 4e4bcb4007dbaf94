import { join } from 'node:path';
import { format } from 'prettier';
import type { ContractCall, SystemContract } from './contract.ts';
import { contracts, inventory, neverCalled } from './index.ts';
import { callsOf } from './world.ts';

/** What is kept under version control. */
export const tableFile = join(import.meta.dirname, '../../docs/systems.md');

const introduction = `# The outside systems, call by call

Which endpoint each function of our clients asks, which part of the landscape answers it there, and which test covers it. The
numbers of sections are those of the reference sheet of external systems.

Written by \`npm run systems\` from the contracts in \`tests/systems\`; do not edit. \`tests/systems.test.ts\` runs each
contract over HTTP: the requests, the class of every failure, what a lost answer leads to, and that no secret shows. In the
column *lost answer*, "same" means that the call can be repeated, "second" that a repetition makes a second thing, so that
callers look first, and anything else is the reason with which the repetition is refused.
`;

/** docs/systems.md as it should be. */
export async function systemsTable(): Promise<string> {
  const sections = new Map<string, string[]>();
  for (const contract of contracts) {
    sections.getOrInsertComputed(contract.title, () => []).push(await sectionOf(contract));
  }
  for (const title of inventory) {
    const why = neverCalled[title];
    if (why !== undefined) sections.set(title, [why]);
  }
  const texts = [...sections].map(([title, parts]) => [`## ${title}`, ...parts].join('\n\n'));
  return format([introduction, ...texts].join('\n\n'), { parser: 'markdown' });
}

async function sectionOf(contract: SystemContract): Promise<string> {
  const { section, landscape: handler, token, maker, prefix = contract.system, base } = contract;
  const { calls } = await callsOf(contract);
  const facts = [
    `Section ${section}. Made by \`${maker}\`; in the landscape under \`/${prefix}${base ?? ''}\`.`,
    ...(token ? [`Before the calls: \`${token}\`.`] : []),
  ];
  const rows = Object.entries(calls).map(([name, call]) =>
    row([
      call.endpoints.map((endpoint) => `\`${endpoint}\``).join('<br>'),
      `\`${name}\` in ${link(call.client ?? contract.client)}`,
      link(handler),
      link(call.test ?? contract.test),
      repeatedOf(contract, call),
    ]),
  );
  const head = ['endpoint', 'client function', 'landscape', 'test', 'lost answer'];
  return [facts.join(' '), '', row(head), row(head.map(() => '---')), ...rows].join('\n');
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const link = (path: string) => `[${path.split('/').slice(2).join('/')}](../${path})`;

function repeatedOf(contract: SystemContract, call: ContractCall): string {
  const all = call.endpoints.map((endpoint) => {
    const repeated = call.at?.[endpoint]?.repeated ?? call.repeated ?? contract.repeated ?? 'same';
    return typeof repeated === 'string' ? repeated : `\`${repeated.reason}\``;
  });
  return [...new Set(all)].join('<br>');
}
