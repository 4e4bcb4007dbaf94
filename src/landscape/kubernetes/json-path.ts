import { isFields } from './kubernetes-object.ts';

type Step = (value: unknown) => readonly unknown[];

/**
 * The paths of printer columns: `.status.state`, `.metadata.annotations['a.b/c']`, `.spec.workers[*].name`,
 * `.status.conditions[?(@.type=="Ready")].status`.
 */
export function jsonPath(path: string): Step {
  const steps: Step[] = [];
  const pattern =
    /\.((?:\\.|[^.[\\])+)|\[(?:'([^']*)'|"([^"]*)"|(\*)|(-?\d+)|\?\(@\.([\w.]+)\s*==\s*["']([^"']*)["']\))\]/y;
  while (pattern.lastIndex < path.length) {
    const found = pattern.exec(path);
    if (!found) throw new Error(`not understood: ${path}`);
    const [, plain, single, double, star, index, filtered, wanted] = found;
    const key = plain?.replaceAll(/\\(.)/g, '$1') ?? single ?? double;
    if (key !== undefined) steps.push((value) => fieldOf(value, key));
    else if (star) steps.push(elementsOf);
    else if (index) steps.push((value) => elementsOf(value).slice(Number(index)).slice(0, 1));
    else if (filtered) {
      const find = jsonPath(`.${filtered}`);
      steps.push((value) => elementsOf(value).filter((each) => find(each)[0] === wanted));
    }
  }
  return (value) =>
    steps.reduce<readonly unknown[]>((values, step) => values.flatMap(step), [value]);
}

const fieldOf = (value: unknown, key: string): readonly unknown[] =>
  isFields(value) && value[key] !== undefined && value[key] !== null ? [value[key]] : [];

const elementsOf = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  return isFields(value) ? Object.values(value) : [];
};
