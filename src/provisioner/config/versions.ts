type Version = readonly [major: number, minor: number, patch: number];

export function parseVersion(text: string): Version | undefined {
  const [, ...parts] = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(text) ?? [];
  const [major, minor, patch] = parts.map(Number);
  return major === undefined || minor === undefined || patch === undefined
    ? undefined
    : [major, minor, patch];
}

export const isVersion = (text: string): boolean => parseVersion(text) !== undefined;

/** 1.10 is later than 1.9. What is no version compares with nothing: another rule refuses it. */
export function isLower(text: string, than: string): boolean {
  const [a, b] = [parseVersion(text), parseVersion(than)];
  if (!a || !b) return false;
  const difference = a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
  return difference < 0;
}

/** Kubernetes is upgraded by one minor version at a time. */
export function skipsMinor(text: string, from: string): boolean {
  const [a, b] = [parseVersion(text), parseVersion(from)];
  return a !== undefined && b !== undefined && (a[0] !== b[0] || a[1] > b[1] + 1);
}
