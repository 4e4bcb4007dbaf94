import { seconds } from '#time';
import type { Answer, ContractCall, Expectations, Outcome, SystemContract } from './contract.ts';
import type { FaultAction } from './world.ts';

export const unreachable: Outcome = { temporary: true, reason: 'unreachable' };
const wrongAnswer: Outcome = { temporary: true, reason: 'wrong_answer' };
const page = '<html>canary-page-1</html>';

export type Disturbance = {
  readonly what: string;
  readonly action: FaultAction;
  readonly expected: Outcome;
};

/** All that can go wrong at an endpoint, and what the call makes of it. */
export function disturbancesAt(
  contract: SystemContract,
  call: ContractCall,
  endpoint: string,
): Disturbance[] {
  const { on, answers, malformed } = expectationsAt(contract, call, endpoint);
  const answer = (status: number, body: string): FaultAction => ({ kind: 'answer', status, body });
  return [
    ...refusalsOf(contract, on),
    { what: 'a web page', action: answer(200, page), expected: malformed },
    ...Object.entries(answers).map(([what, { status, body, gives }]) => ({
      what,
      action: answer(status, typeof body === 'string' ? body : JSON.stringify(body)),
      expected: gives,
    })),
    { what: 'a broken connection', action: { kind: 'reset' }, expected: unreachable },
  ];
}

/** Those of a call at one of its endpoints. */
export function expectationsAt(contract: SystemContract, call: ContractCall, endpoint: string) {
  const levels = [contract, call, call.at?.[endpoint] ?? {}];
  const last = <Key extends keyof Expectations>(key: Key) =>
    levels.findLast((level) => level[key] !== undefined)?.[key];
  return {
    on: Object.assign({}, ...levels.map(({ on }) => on)) as Record<number, Outcome>, // a merger of such
    answers: Object.assign({}, ...levels.map(({ answers }) => answers)) as Record<string, Answer>,
    malformed: last('malformed') ?? wrongAnswer,
    repeated: last('repeated') ?? 'same',
  };
}

const everyStatus = [400, 401, 403, 404, 408, 409, 429, 500, 503];
const retryAfter = 7;

/** All statuses to try, with what each must lead to: the rule, and what is known to differ. */
function refusalsOf(
  contract: SystemContract,
  on: Readonly<Record<number, Outcome>>,
): Disturbance[] {
  const statuses = new Set([...everyStatus, ...Object.keys(on).map(Number)]);
  return [...statuses].map((status) => {
    const { body, reason = 'err_http_status_code' } = (contract.refusal ?? inJson)(status);
    const known = on[status] ?? {};
    const byRule = {
      temporary: status === 408 || status === 429 || status >= 500,
      reason,
      status,
      ...(status === 429 && { retryAfter: seconds(retryAfter) }),
    };
    const headers: Record<string, string> =
      status === 429 ? { 'retry-after': String(retryAfter) } : {};
    return {
      what: `status ${status}`,
      action: { kind: 'answer', status, body, headers },
      expected: typeof known === 'string' ? known : { ...byRule, ...known },
    };
  });
}
const inJson: NonNullable<SystemContract['refusal']> = () => ({
  body: JSON.stringify({ message: 'canary-echo-1', error: 'canary-echo-2' }),
});
