import { toneOf } from './state-badge.tsx';

export type Bucket = { readonly at: string; readonly counts: Readonly<Record<string, number>> };

const [width, height, left, bottom] = [760, 200, 36, 20];

/** Counts per hour or day, one colour for each of the names, stacked. A table with the same numbers is beside it. */
export function StackedBars({
  buckets,
  names,
  label,
}: {
  readonly buckets: readonly Bucket[];
  readonly names: readonly string[];
  readonly label: string;
}) {
  const sums = buckets.map(({ counts }) =>
    names.reduce((sum, name) => sum + (counts[name] ?? 0), 0),
  );
  const most = roundedUp(Math.max(2, ...sums));
  const wide = (width - left) / Math.max(1, buckets.length);
  const y = (count: number) => (height - bottom) * (1 - count / most);
  return (
    <>
      <svg class="chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        {[0, most / 2, most].map((each) => (
          <g key={each}>
            <line class="grid" x1={left} x2={width} y1={y(each) + 0.5} y2={y(each) + 0.5} />
            <text x={left - 6} y={Math.max(9, y(each) + 4)} text-anchor="end">
              {each.toLocaleString()}
            </text>
          </g>
        ))}
        {buckets.map(({ at, counts }, index) => {
          let below = 0;
          return (
            <g key={at}>
              <title>{`${new Date(at).toLocaleString()}: ${names.map((name) => `${counts[name] ?? 0} ${name}`).join(', ')}`}</title>
              {names.map((name) => {
                const count = counts[name] ?? 0;
                below += count;
                return (
                  <rect
                    key={name}
                    class={`fill-${toneOf(name)}`}
                    x={left + index * wide + wide * 0.1}
                    width={wide * 0.8}
                    y={y(below)}
                    height={y(below - count) - y(below)}
                  />
                );
              })}
            </g>
          );
        })}
        {[buckets[0], buckets.at(-1)].map(
          (bucket, index) =>
            bucket &&
            (index === 0 || buckets.length > 1) && (
              <text
                key={index}
                x={index === 0 ? left : width}
                y={height - 4}
                text-anchor={index === 0 ? 'start' : 'end'}
              >
                {new Date(bucket.at).toLocaleString(undefined, {
                  dateStyle: 'short',
                  timeStyle: 'short',
                })}
              </text>
            ),
        )}
      </svg>
      <div class="legend" aria-hidden="true">
        {names.map((name) => (
          <span key={name}>
            <i class={`fill-${toneOf(name)}`} />
            {name}
          </span>
        ))}
      </div>
    </>
  );
}

/** From the median to the slowest hundredth, on a logarithmic scale from 1 ms to a day. */
export function PercentileBar({
  p50,
  p90,
  p99,
}: {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}) {
  const x = (ms: number) => (Math.log10(Math.max(1, ms)) / Math.log10(86_400_000)) * 100;
  return (
    <svg class="range" viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">
      <rect class="fill-calm" opacity="0.25" x="0" y="6" width="100" height="2" />
      <rect
        class="fill-busy"
        opacity="0.45"
        x={x(p50)}
        y="4"
        width={Math.max(0.8, x(p99) - x(p50))}
        height="6"
      />
      <rect class="fill-busy" x={x(p50)} y="2" width={Math.max(0.8, x(p90) - x(p50))} height="10" />
    </svg>
  );
}

/** Shares of a whole, with the numbers as its label. */
export function Meter({
  parts,
  total,
}: {
  readonly parts: Readonly<Record<string, number>>;
  readonly total: number;
}) {
  const shown = Object.entries(parts).filter(([, count]) => count > 0);
  const label = shown.map(([name, count]) => `${count} ${name}`).join(', ') || 'nothing yet';
  return (
    <div class="meter" role="img" aria-label={`${label}, of ${total}`} title={label}>
      {shown.map(([name, count]) => (
        <i
          key={name}
          class={`fill-${toneOf(name)}`}
          style={{ width: `${(count / Math.max(1, total)) * 100}%` }}
        />
      ))}
    </div>
  );
}

/** 2, 4, 10, 20, 40, …: halves of it are whole. */
function roundedUp(most: number): number {
  const unit = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 10].map((each) => each * unit).find((each) => each >= most) ?? most;
}
