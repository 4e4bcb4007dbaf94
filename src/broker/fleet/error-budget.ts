/** So many failures are borne, or so many of the runtimes in the waves that have begun. */
export type ErrorBudget =
  | { readonly failures: number; readonly percent?: undefined }
  | { readonly percent: number; readonly failures?: undefined };

/** Why nothing more may begin, if so. Failures that were known when somebody let it go on do not count again. */
export function budgetExceeded(
  budget: ErrorBudget | undefined,
  counts: { readonly failed: number; readonly forgiven: number; readonly inBegunWaves: number },
): string | undefined {
  if (!budget) return undefined;
  const { failed, forgiven, inBegunWaves } = counts;
  const borne = budget.failures ?? Math.floor((inBegunWaves * budget.percent) / 100);
  if (failed - forgiven <= borne) return undefined;
  const limit =
    budget.failures === undefined
      ? `${budget.percent}% of ${inBegunWaves} runtimes`
      : String(budget.failures);
  const known = forgiven === 0 ? '' : `, without ${forgiven} that were known before`;
  return `the error budget is used up: ${failed - forgiven} failed${known}, allowed: ${limit}`;
}
