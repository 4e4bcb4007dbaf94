import {
  parameterNames,
  providerNames,
  type Catalog,
  type Offer,
  type ParameterName,
  type PlanDefinition,
  type ProviderName,
} from './catalog-schema.ts';

/** What each part of the catalog allows, and yet does not fit to another part. Each line begins with the path. */
export function contradictionsIn(catalog: Catalog): string[] {
  return [
    ...providerNames.flatMap((name) => aboutProvider(catalog, name)),
    ...Object.entries(catalog.plans).flatMap(([name, plan]) => aboutPlan(catalog, name, plan)),
    ...aboutForm(catalog),
    ...repeatedIds(catalog),
  ];
}

function aboutProvider({ providers }: Catalog, name: ProviderName): string[] {
  const { euAccessRegion, regions } = providers[name];
  if (euAccessRegion === undefined) return [];
  return notAmong(`providers.${name}.euAccessRegion`, [euAccessRegion], Object.keys(regions));
}

function aboutPlan(catalog: Catalog, name: string, plan: PlanDefinition): string[] {
  const path = `plans.${name}`;
  const offers = Object.entries(plan.providers) as [ProviderName, Offer][];
  const areas = offers.flatMap(([, { regions }]) => Object.keys(regions));
  return [
    ...notAmong(`${path}.upgradableTo`, plan.upgradableTo, Object.keys(catalog.plans)),
    ...notAmong(`${path}.platformRegions`, Object.values(plan.platformRegions), areas),
    ...offers.flatMap(([provider, offer]) =>
      aboutOffer(catalog, provider, offer, `${path}.providers.${provider}`),
    ),
    ...aboutParameters(catalog, plan, `${path}.parameters`),
    ...(plan.parameters.create.required.includes('name')
      ? []
      : [`${path}.parameters.create.required: name is missing, and every instance has one`]),
    ...(offers.length > 1 && !plan.providerFrom
      ? [`${path}.providerFrom: needed to choose among ${offers.map(([each]) => each).join(', ')}`]
      : []),
  ];
}

function aboutOffer(catalog: Catalog, provider: ProviderName, offer: Offer, path: string) {
  const { regions, machineTypes } = catalog.providers[provider];
  const known = Object.keys(regions);
  const machines = Object.keys(machineTypes);
  return [
    ...notAmong(`${path}.region`, [offer.region], known),
    ...notAmong(`${path}.regions`, Object.values(offer.regions), known),
    ...notAmong(`${path}.machineType`, [offer.machineType], machines),
    ...notAmong(`${path}.machineTypes`, offer.machineTypes, machines),
    ...notAmong(`${path}.moreMachineTypesForUpdates`, offer.moreMachineTypesForUpdates, machines),
    ...(offer.nodes.min > offer.nodes.max
      ? [`${path}.nodes: min ${offer.nodes.min} is larger than max ${offer.nodes.max}`]
      : []),
  ];
}

/** A parameter that is a choice needs something to choose from. */
function aboutParameters({ form }: Catalog, plan: PlanDefinition, path: string): string[] {
  const offers = Object.values(plan.providers);
  const choices: Partial<Record<ParameterName, boolean>> = {
    region: offers.length > 0,
    zones: offers.length > 0,
    machineType: offers.length > 0 && offers.every(({ machineTypes }) => machineTypes.length > 0),
    autoScalerMin: plan.autoscaler !== undefined,
    autoScalerMax: plan.autoscaler !== undefined,
    provider: plan.providerFrom === 'parameter',
  };
  return (['create', 'update'] as const).flatMap((request) => {
    const { required, shown, additional, hidden } = plan.parameters[request];
    const all = [...shown, ...additional, ...hidden];
    return [
      ...notAmong(`${path}.${request}.required`, required, shown),
      ...notAmong(`${path}.${request}.shown`, [...shown, ...additional], form.controlsOrder),
      ...all
        .filter((name, index) => all.indexOf(name) !== index)
        .map((name) => `${path}.${request}: ${name} is named twice`),
      ...all
        .filter((name) => choices[name] === false)
        .map((name) => `${path}.${request}: ${name} is taken, but the plan has no choice of it`),
    ];
  });
}

function aboutForm({ form }: Catalog): string[] {
  return Object.keys(form.hints).flatMap((path) =>
    notAmong('form.hints', [path.split('.')[0] ?? ''], parameterNames),
  );
}

function repeatedIds({ plans }: Catalog): string[] {
  const owners = new Map<string, string>();
  return Object.entries(plans).flatMap(([name, { id }]) => {
    const owner = owners.get(id);
    owners.set(id, name);
    return owner === undefined ? [] : [`plans.${name}.id: ${id} is the id of ${owner}, too`];
  });
}

const notAmong = (path: string, values: readonly string[], allowed: readonly string[]) =>
  values
    .filter((value) => !allowed.includes(value))
    .map((value) => `${path}: ${value} is none of ${allowed.join(', ')}`);
