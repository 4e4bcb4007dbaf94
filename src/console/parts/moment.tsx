import { signal } from '@preact/signals';
import { fromNow, inWords } from './time.ts';

/** The present, for everything on the page that says how long ago or until when. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 1_000);

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** A time as people say it; the exact one, in their time zone, is there on hover and for screen readers. */
export function Moment({ at }: { readonly at: string | undefined }) {
  if (at === undefined) return <span class="muted">–</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${exact.format(date)} (${at})`}>
      {fromNow(date.getTime(), now.value)}
    </time>
  );
}

/** From the one to the other, or until now. */
export function Duration({
  from,
  to,
}: {
  readonly from: string;
  readonly to?: string | undefined;
}) {
  const end = to === undefined ? now.value : Date.parse(to);
  return (
    <span title={`since ${exact.format(new Date(from))}`}>{inWords(end - Date.parse(from))}</span>
  );
}
