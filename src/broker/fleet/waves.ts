/** So many runtimes, or so many of all. */
export type WaveSize =
  | { readonly size: number; readonly percent?: undefined }
  | { readonly percent: number; readonly size?: undefined };

/** How many each wave has. What is left over is the last one; none is empty. */
export function waveSizes(waves: readonly WaveSize[], total: number): number[] {
  let left = total;
  const sizes = waves.map(({ size, percent }) => {
    const taken = Math.min(left, size ?? Math.ceil((total * percent) / 100));
    left -= taken;
    return taken;
  });
  return [...sizes, left].filter((size) => size > 0);
}

/** To which wave each belongs, in their order; waves count from 1. */
export const waveOfEach = (waves: readonly WaveSize[], total: number): number[] =>
  waveSizes(waves, total).flatMap((size, index) => Array<number>(size).fill(index + 1));
