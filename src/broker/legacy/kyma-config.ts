import type { KymaConfigInput } from '#clients';
import { chosenComponents } from '../kyma/chosen-components.ts';
import type { KymaParts } from '../kyma/kyma-parts.ts';
import type { OverrideEntry, Overrides } from '../overrides.ts';
import type { Plan } from '../plans/plans.ts';

/** Without it a runtime never connects, and the provisioner refuses it. */
export const agent = 'compass-runtime-agent';

/** Kyma as the provisioner installs it, with all that the steps have collected. Holds secrets. */
export const kymaConfig = (of: {
  readonly plan: Plan;
  readonly kymaVersion: string;
  readonly parts: KymaParts;
  readonly overrides: Overrides;
}): KymaConfigInput => ({
  version: of.kymaVersion,
  profile: of.plan.kymaProfile,
  conflictStrategy: 'Replace',
  configuration: of.overrides.global.map(entryOf),
  components: chosenComponents(of.plan.name, of.parts, of.overrides).map(
    ({ component, namespace, url, overrides = [] }) => ({
      component,
      namespace,
      sourceURL: url,
      configuration: overrides.map(entryOf),
    }),
  ),
});

const entryOf = ({ key, value, secret = false }: OverrideEntry) => ({ key, value, secret });
