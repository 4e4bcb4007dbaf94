import { styleText } from 'node:util';

type Style = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';
export type Paint = (style: Style, text: string) => string;

/** With `NO_COLOR` set to anything, or where nobody looks, text stays plain. */
export const paint =
  (isColourful: boolean): Paint =>
  (style, text) =>
    isColourful && text !== '' ? styleText(style, text, { validateStream: false }) : text;

/** How a state looks, of operations, runtimes, orchestrations, reconciliations, steps and jobs alike. */
export function styleOfState(state: string): Style | undefined {
  if (/^(?:failed|error|fail|user|us|delete_error|client_error|orphan)\b/.test(state)) return 'red';
  if (/^(?:succeeded|done|finished|ok|ready)\b/.test(state)) return 'green';
  if (/^(?:wait|waiting|retrying|paused|pending|canceling|suspended|stuck|new)\b/.test(state))
    return 'yellow';
  if (/^(?:reconcile|delete)_(?:pending|disabled|error_retryable)$/.test(state)) return 'yellow';
  if (
    /^(?:in.progress|provisioning|deprovisioning|upgrading|updating|running|current|reconciling|deleting)/.test(
      state,
    )
  )
    return 'cyan';
  return undefined;
}

export const paintedState = (state: string, colour: Paint): string => {
  const style = styleOfState(state);
  return style ? colour(style, state) : state;
};
