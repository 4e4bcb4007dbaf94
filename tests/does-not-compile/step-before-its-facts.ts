// Must not compile: Check_Runtime stands before the step that gives it the runtime's id. See compile-errors.test.ts.
import { done, operation, skip, type Step } from '#engine';

const createRuntime: Step<{ plan: string }, { runtimeId: string }> = {
  name: 'Create_Runtime',
  gives: ['runtimeId'],
  run: async ({ facts }) => done({ runtimeId: `runtime-of-${facts.plan}` }),
};

const checkRuntime: Step<{ runtimeId: string }> = {
  name: 'Check_Runtime',
  run: async ({ facts }) => (facts.runtimeId ? done() : skip('there is none')),
};

export const rightOrder = operation<{ plan: string }>('right_order')
  .stage('create_runtime', createRuntime)
  .stage('check_runtime', checkRuntime);

export const rightOrderInOneStage = operation<{ plan: string }>('right_order').stage(
  'all',
  createRuntime,
  checkRuntime,
);

export const wrongOrder = operation<{ plan: string }>('wrong_order')
  .stage('check_runtime', checkRuntime) // error: runtimeId
  .stage('create_runtime', createRuntime);

export const wrongOrderInOneStage = operation<{ plan: string }>('wrong_order').stage(
  'all',
  checkRuntime, // error: runtimeId
  createRuntime,
);

export const owesAFact: Step<object, { runtimeId: string }> = {
  name: 'Owes_A_Fact',
  run: async () => skip('but others rely on runtimeId'), // error: may not be left out
};

export const goesOnWithoutItsFact: Step<object, { runtimeId: string }> = {
  name: 'Goes_On_Without_Its_Fact',
  gives: ['runtimeId'],
  retry: { otherwise: 'go on' }, // error: must fail
  run: async () => done({ runtimeId: 'r-1' }),
};
