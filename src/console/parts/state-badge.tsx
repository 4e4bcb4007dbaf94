type Tone = 'good' | 'bad' | 'busy' | 'calm' | 'warn';

const tones: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  done: 'good',
  failed: 'bad',
  error: 'bad',
  fail: 'bad',
  'not completed': 'warn',
  retry: 'warn',
  stuck: 'warn',
  paused: 'warn',
  canceling: 'warn',
  'in progress': 'busy',
  inProgress: 'busy',
  running: 'busy',
  provisioning: 'busy',
  deprovisioning: 'busy',
  upgrading: 'busy',
  updating: 'busy',
  retrying: 'warn',
  wait: 'calm',
};

export const toneOf = (state: string): Tone => tones[state] ?? 'calm';

/** A state, told apart by word and by colour. */
export const StateBadge = ({ state }: { readonly state: string }) => (
  <span class={`badge ${toneOf(state)}`}>{state}</span>
);
