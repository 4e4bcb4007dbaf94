import type { Catalog } from './catalog-schema.ts';
import { formatAddress, isCanonical, overlap, parseCidr } from './cidr.ts';
import { shortened } from './invalid-parameters.ts';

/** The range of the nodes must stay clear of all that a cluster can reach, and be large enough to be split into zones. */
export function networkingProblems(nodes: string, networking: Catalog['networking']): string[] {
  const range = parseCidr(nodes);
  if (!range) return [`while parsing nodes CIDR: invalid CIDR address: ${shortened(nodes)}`];
  const limit = networking.longestNodesPrefix;
  const got = ` (got ${nodes})`;
  const meets = (other: string) => {
    const taken = parseCidr(other);
    return taken !== undefined && overlap(range, taken);
  };
  return [
    ...(isCanonical(range)
      ? []
      : [`${formatAddress(range.address)} must be valid canonical CIDR${got}`]),
    ...(range.prefix > limit
      ? [`the suffix of the node CIDR must not be greater than ${limit}${got}`]
      : []),
    ...networking.seeds.filter(meets).map((seed) => `nodes CIDR must not overlap ${seed}${got}`),
    ...(['pods', 'services'] as const)
      .filter((other) => meets(networking[other]))
      .map((other) => `nodes CIDR must not overlap ${other} CIDR ${networking[other]}${got}`),
  ];
}

/** Several problems as a list, one as it is, and nothing if there is none. */
export function listed(problems: readonly string[]): string {
  if (problems.length < 2) return problems.join('');
  return [`${problems.length} errors occurred:`, ...problems.map((each) => `\t* ${each}`)].join(
    '\n',
  );
}
