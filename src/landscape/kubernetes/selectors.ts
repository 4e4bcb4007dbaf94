import { valueAt, type KubernetesObject } from './kubernetes-object.ts';
import type { ResourceKind } from './resource-kind.ts';
import { badRequest } from './status-error.ts';

export type Matches = (object: KubernetesObject) => boolean;

/** `a=b, c!=d, !e, f, g in (h,i), j notin (k)`: all of them must hold. What is absent is unequal to everything. */
export function labelSelector(text: string): Matches {
  const requirements = termsOf(text).map(labelRequirement);
  return ({ metadata: { labels = {} } }) => requirements.every((holds) => holds(labels));
}

/** By name and namespace, and by what a kind lets select on besides. */
export function fieldSelector(text: string, { selectableFields = [] }: ResourceKind): Matches {
  const selectable = ['metadata.name', 'metadata.namespace', ...selectableFields];
  const requirements = termsOf(text).map((term): Matches => {
    const [, field = '', operator, value] = /^([^=!]+?)\s*(==|=|!=)\s*(.*)$/.exec(term) ?? [];
    if (!operator) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
    if (!selectable.includes(field)) throw badRequest(`field label not supported: ${field}`);
    return (object) => {
      const found = valueAt(object, field.split('.')) ?? '';
      return (found === value) === (operator !== '!=');
    };
  });
  return (object) => requirements.every((holds) => holds(object));
}

/** At the commas that are not within parentheses. */
const termsOf = (text: string) =>
  text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '');

const key = String.raw`([\w./-]+)`;
const absent = new RegExp(`^!\\s*${key}$`);
const present = new RegExp(`^${key}$`);
const compared = new RegExp(`^${key}\\s*(==|=|!=)\\s*([\\w.-]*)$`);
const among = new RegExp(`^${key}\\s+(in|notin)\\s*\\(([^()]*)\\)$`);

function labelRequirement(term: string): (labels: Readonly<Record<string, string>>) => boolean {
  const [, without] = absent.exec(term) ?? [];
  if (without) return (labels) => labels[without] === undefined;
  const [, withKey] = present.exec(term) ?? [];
  if (withKey) return (labels) => labels[withKey] !== undefined;
  const [, compare, operator, value] = compared.exec(term) ?? [];
  if (compare) return (labels) => (labels[compare] === value) === (operator !== '!=');
  const [, one, membership, list = ''] = among.exec(term) ?? [];
  if (one) {
    const values = list.split(',').map((each) => each.trim());
    return (labels) => {
      const label = labels[one];
      return (label !== undefined && values.includes(label)) === (membership === 'in');
    };
  }
  throw badRequest(`unable to parse requirement: found '${term}'`);
}
