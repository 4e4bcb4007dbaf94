import type { ComponentChildren } from 'preact';
import { ApiError } from '../api/request.ts';

type Notice = { readonly title: string; readonly children?: ComponentChildren };

/** Where there is nothing to show: why, and what to do about it. */
export const Empty = ({ title, children }: Notice) => (
  <div class="notice empty">
    <strong>{title}</strong>
    {children !== undefined && <div>{children}</div>}
  </div>
);

/** What went wrong, in words, and what helps. */
export function Problem({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const status = error instanceof ApiError ? error.status : undefined;
  return (
    <div class="notice problem" role="alert">
      <strong>{titleOf(status)}</strong>
      <div>{error.message}</div>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

function titleOf(status: number | undefined): string {
  if (status === 0) return 'No connection to the broker';
  if (status === 403) return 'You do not have the right to see or do this';
  if (status === 404) return 'This does not exist, or no longer';
  if (status === 409) return 'Not possible now';
  if (status !== undefined && status >= 500) return 'The broker has a problem';
  return 'That did not work';
}

/** As large as what will stand there: nothing jumps when it comes. */
export const Skeleton = ({ rows = 6 }: { readonly rows?: number }) => (
  <div class="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, index) => (
      <div key={index} class="bone" />
    ))}
  </div>
);
