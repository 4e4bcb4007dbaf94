// An operation with effects on the outside world, of every shape that matters to a crash: an effect whose result is a
// fact, a poll, steps that share memory, an effect without a fact, two effects in one stage.
import { done, memoryOf, operation, wait, type Step, type StepContext } from '#engine';
import { milliseconds } from '#time';

export function sampleOperation(world: string) {
  /** Looks whether it is there before it creates it: that is what makes a step safe to run twice. */
  async function ensure(name: string, { signal }: StepContext<object>): Promise<string> {
    const url = `${world}/things/${name}`;
    const found = await fetch(url, { signal });
    if (found.status === 404) await fetch(url, { method: 'POST', signal });
    return name;
  }

  const passGate: Step = {
    name: 'Pass_Gate',
    async run({ operation, signal }) {
      await fetch(`${world}/gate/${operation.subject}`, { signal });
      return done();
    },
  };
  const createRuntime: Step<object, { runtime: string }> = {
    name: 'Create_Runtime',
    gives: ['runtime'],
    run: async (context) =>
      done({ runtime: await ensure(`runtime-${context.operation.subject}`, context) }),
  };
  const checkRuntime: Step<{ runtime: string }, { ready: boolean }> = {
    name: 'Check_Runtime',
    gives: ['ready'],
    run: async ({ attempt }) =>
      attempt < 3 ? wait(milliseconds(20), 'not ready yet', 'world') : done({ ready: true }),
  };
  const token = memoryOf<string>('token');
  const getToken: Step = {
    name: 'Get_Token',
    async run({ memory }) {
      memory.set(token, 'never stored');
      return done();
    },
  };
  const register: Step<object, { tenant: string }> = {
    name: 'Register',
    gives: ['tenant'],
    async run(context) {
      context.memory.get(token);
      return done({ tenant: await ensure(`tenant-${context.operation.subject}`, context) });
    },
  };
  const announce: Step<{ tenant: string; runtime: string }> = {
    name: 'Announce',
    async run(context) {
      context.memory.get(token);
      await ensure(`announcement-${context.operation.subject}`, context);
      return done();
    },
  };
  return operation('sample')
    .stage('start', passGate)
    .stage('create', createRuntime)
    .stage('check', checkRuntime)
    .stage('configure', getToken, register, announce);
}
