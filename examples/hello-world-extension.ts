// Adds a step to three operations of the broker, without touching the broker. The broker runs it with
// KCP_EXTENSIONS=./examples/hello-world-extension.ts and HELLO_WORLD_URL=<where the outside service is>.
// docs/how-to/add-a-step.md walks through it.
import type { Extension, ExtensionKit } from '#broker';
import type { Step } from '#engine';

/** What the step stores with the operation. */
type Greeted = { readonly helloWorld?: string };

/** Asks the outside service for a greeting, and tells a component of Kyma with which token it gets more of them. */
const helloWorld = (kit: ExtensionKit, url: string): Step<Greeted, Greeted> => ({
  name: 'Hello_World',
  about: 'Has the runtime greeted by the hello-world service.',
  domain: 'Hello World',
  owner: 'team-hello', // whom people ask when it is stuck
  gives: ['helloWorld'],
  retry: { every: kit.seconds(10), upTo: kit.minutes(1), within: kit.minutes(30) },
  async run(context) {
    // The name of the greeting is the instance's: whoever asks twice gets the same one.
    const { instanceId } = await kit.runtimeOf(context);
    const { data, token } = await ask(kit, 'PUT', `${url}/greetings/${instanceId}`, context.signal);
    // Not stored: it is gone whenever the stage starts over, and then this step runs again.
    const overrides = await kit.overridesOf(context);
    overrides.appendOverrides('hello-world', [
      { key: 'greeting.text', value: data },
      { key: 'greeting.token', value: token, secret: true },
    ]);
    // Stored: later steps, and whoever looks at the operation, will see it.
    return kit.done({ helloWorld: data });
  },
});

/** What one operation has made, another removes by the same name. Nothing may block a removal for long. */
const goodbyeWorld = (kit: ExtensionKit, url: string): Step => ({
  name: 'Hello_World',
  about: 'Takes the greeting of the runtime back.',
  domain: 'Hello World',
  owner: 'team-hello',
  retry: kit.bestEffort,
  async run(context) {
    const { instanceId } = await kit.runtimeOf(context);
    await ask(kit, 'DELETE', `${url}/greetings/${instanceId}`, context.signal);
    return kit.done();
  },
});

/** The outside service. That it is down is no reason to give up: thrown as an outage, the step is tried again. */
async function ask(kit: ExtensionKit, method: string, url: string, signal: AbortSignal) {
  const response = await fetch(url, { method, signal }).catch((cause: unknown) => {
    throw kit.outage('hello-world', `cannot ${method} a greeting: no answer`, cause);
  });
  if (response.status >= 500)
    throw kit.outage('hello-world', `cannot ${method} a greeting: ${response.status}`);
  if (!response.ok) throw new Error(`hello-world refuses to ${method}: ${response.status}`);
  return (await response.json()) as { data: string; token: string }; // as the service documents it
}

const extension: Extension = (kit) => {
  const url = kit.environment['HELLO_WORLD_URL'];
  if (!url) throw new Error('HELLO_WORLD_URL is not set');

  kit.extend('provision', {
    stage: 'configure_runtime',
    before: 'Create_Cluster_Configuration',
    step: helloWorld(kit, url),
  });
  kit.extend('upgradeKyma', {
    stage: 'apply',
    before: 'Apply_Cluster_Configuration',
    step: helloWorld(kit, url),
  });
  kit.extend('deprovision', {
    stage: 'EDP_Deregistration',
    after: 'EDP_Deregistration',
    step: goodbyeWorld(kit, url),
  });
};

export default extension;
