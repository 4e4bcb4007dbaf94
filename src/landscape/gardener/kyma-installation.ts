import { z } from 'zod';
import { seconds } from '#time';
import { namespace as namespaceKind } from '../kubernetes/kinds.ts';
import type { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import { valueAt, type Fields, type KubernetesObject } from '../kubernetes/kubernetes-object.ts';
import type { ResourceKind } from '../kubernetes/resource-kind.ts';
import type { SimulatedTime } from '../simulated-time.ts';
import { define, serveCustomResources, undefine } from './custom-resources.ts';
import type { RuntimeAgent } from './runtime-agent.ts';
import { catalogKinds, simulatedCatalog } from './service-catalog.ts';

const deployment: ResourceKind = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  singular: 'deployment',
  kind: 'Deployment',
  shortNames: ['deploy'],
  namespaced: true,
  hasStatus: true,
};

const installation: ResourceKind = {
  group: 'installer.kyma-project.io',
  version: 'v1alpha1',
  plural: 'installations',
  singular: 'installation',
  kind: 'Installation',
  namespaced: true,
  hasStatus: false,
  hasGeneration: true,
  isCustom: true,
  additionalPrinterColumns: [
    { name: 'State', type: 'string', value: '.status.state' },
    { name: 'Description', type: 'string', value: '.status.description' },
  ],
};

/** The only one that the installer looks at. */
const place = { namespace: 'default', name: 'kyma-installation' };
const attention = seconds(5);
const perComponent = seconds(30);
const attempts = 3;

type Component = z.infer<typeof Component>;
const Component = z.object({ name: z.string(), namespace: z.string() });
const Spec = z.object({ version: z.string(), components: z.array(Component) });
type Run = {
  readonly uid: string;
  readonly action: 'install' | 'uninstall';
  readonly version: string;
  readonly components: readonly Component[];
};

/** Kyma 1.x in a runtime: the kinds that it needs, an installer that waits for its definition, and the agent's place in it. */
export function simulateKymaInstallation(
  api: KubernetesApi,
  time: SimulatedTime,
  agent: RuntimeAgent,
): void {
  const installer = new Installer(api, time, agent);
  api.addKind(deployment);
  const hooks = {
    onCreate: (object: KubernetesObject) => {
      agent.remove(); // the one of Kyma 1 comes with its component
      installer.consider(object);
    },
    onUpdate: (object: KubernetesObject) => installer.consider(object),
    onRestore: (object: KubernetesObject) => installer.consider(object), // from the first component on
  };
  const simulated = [
    { kind: installation, hooks },
    ...simulatedCatalog(api, time),
    agent.simulated,
  ];
  serveCustomResources(api, simulated, () => time.date());
}

/** Does what the Installation asks for, component by component. Bad versions fail at the first. */
class Installer {
  readonly #api: KubernetesApi;
  readonly #time: SimulatedTime;
  readonly #agent: RuntimeAgent;
  #isBusy = false;

  constructor(api: KubernetesApi, time: SimulatedTime, agent: RuntimeAgent) {
    this.#api = api;
    this.#time = time;
    this.#agent = agent;
  }

  /** While it is at work, wishes wait. */
  consider({ metadata, status }: KubernetesObject): void {
    if (this.#isBusy || metadata.name !== place.name || metadata.namespace !== place.namespace)
      return;
    const action = metadata.labels?.['action'];
    if (action !== 'install' && action !== 'uninstall') return;
    if (action === 'uninstall' && !valueAt(status, ['state'])) return; // there is nothing to remove
    this.#isBusy = true;
    this.#time.after(attention, () => this.#begin(metadata.uid, action));
  }

  #begin(uid: string, action: Run['action']): void {
    const spec = Spec.safeParse(this.#api.get(installation, place)?.['spec']);
    if (spec.success) return this.#proceed({ uid, action, ...spec.data }, 0, 1);
    const run = { uid, action, version: '', components: [] };
    this.#report(run, { state: 'Error', description: `spec: ${z.prettifyError(spec.error)}` });
    return this.#rest(run);
  }

  #proceed(run: Run, index: number, attempt: number): void {
    const component = run.components[index];
    if (!component) return this.#finish(run);
    const description = `${run.action} component ${component.name}`;
    this.#report(run, { state: 'InProgress', description });
    return this.#time.after(perComponent, () => {
      if (run.action === 'install' && run.version.includes('bad'))
        return this.#fail(run, index, attempt, description);
      this.#change(run.action, component);
      return this.#proceed(run, index + 1, 1);
    });
  }

  #change(action: Run['action'], { name, namespace }: Component): void {
    const isWanted = action === 'install';
    if (isWanted && !this.#api.get(namespaceKind, { name: namespace }))
      this.#api.create(namespaceKind, { metadata: { name: namespace } });
    if (name === 'service-catalog')
      for (const kind of catalogKinds) (isWanted ? define : undefine)(this.#api, kind);
    if (name !== 'compass-runtime-agent') return;
    if (isWanted) this.#agent.install();
    else this.#agent.remove();
  }

  #fail(run: Run, index: number, attempt: number, description: string): void {
    const component = run.components[index]?.name ?? '';
    const log = `chart of ${component} ${run.version}: timed out waiting for the condition`;
    const errorLog = [{ component, log, occurrences: attempt }];
    this.#report(run, { state: 'Error', description, errorLog, version: '', url: '' });
    if (attempt === attempts) return this.#rest(run);
    return this.#time.after(perComponent, () => this.#proceed(run, index, attempt + 1));
  }

  /** The label goes before success is told. */
  #finish(run: Run): void {
    this.#rest(run, () => {
      const { version } = run;
      if (run.action === 'install')
        this.#report(run, {
          state: 'Installed',
          description: 'Kyma installed',
          version,
          errorLog: [],
        });
      else
        this.#report(run, {
          state: 'Uninstalled',
          description: 'Selected Kyma components uninstalled',
        });
    });
  }

  /** What was asked for meanwhile comes next. */
  #rest(run: Run, report = () => {}): void {
    const live = this.#api.get(installation, place);
    const isSame = live?.metadata.uid === run.uid;
    if (isSame && live.metadata.labels?.['action'] === run.action)
      this.#api.patch(installation, place, { metadata: { labels: { action: null } } });
    report();
    this.#isBusy = false;
    const now = this.#api.get(installation, place);
    if (now) this.consider(now);
  }

  #report(run: Run, status: Fields): void {
    if (this.#api.get(installation, place)?.metadata.uid !== run.uid) return; // it was deleted
    this.#api.patch(installation, place, { status });
  }
}
