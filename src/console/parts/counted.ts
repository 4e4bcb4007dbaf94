/** `1 runtime`, `2,000 runtimes`. */
export const counted = (count: number, thing: string) =>
  `${count.toLocaleString()} ${thing}${count === 1 ? '' : 's'}`;
