import { publishedBindingSchema } from './binding-parameters.ts';
import { publishedSchema, type JsonSchema } from './parameter-schema.ts';
import type { Platform } from './platform.ts';
import { upgradesOf, type Plan, type Plans } from './plans.ts';

/** How the catalog is shown, and to whom. */
export type CatalogSettings = {
  readonly platform: Platform;
  /** Show oidc and administrators in the schemas. They are accepted anyway. */
  readonly includeAdditionalParameters: boolean;
  readonly bindings: boolean;
  /** What runtimes get today. A platform may ask for it for an instance that has something older. */
  readonly maintenance?: { readonly version: string; readonly description?: string };
  /** How long platforms wait for an operation, in seconds. */
  readonly maximumPollingDuration?: number;
};

/** What GET /v2/catalog answers. */
export function catalogBody(plans: Plans, settings: CatalogSettings) {
  const { id, name, description, tags, metadata } = plans.service;
  return {
    services: [
      {
        id,
        name,
        description,
        bindable: settings.bindings,
        instances_retrievable: true,
        bindings_retrievable: settings.bindings,
        tags,
        plan_updateable: false,
        allow_context_updates: true,
        metadata,
        plans: plans.enabled.map((plan) => planBody(plan, settings)),
      },
    ],
  };
}

function planBody(plan: Plan, settings: CatalogSettings) {
  const { platform, maintenance, maximumPollingDuration } = settings;
  const bindable = settings.bindings && plan.bindable;
  const title = plan.displayName ?? plan.name.toUpperCase();
  const schema = (request: 'create' | 'update'): { parameters: JsonSchema } => ({
    parameters: publishedSchema({ plan, request, platform }, settings.includeAdditionalParameters),
  });
  return {
    id: plan.id,
    name: plan.name,
    description: plan.description ?? plan.name.toUpperCase(),
    metadata: { displayName: title },
    free: plan.free,
    bindable,
    ...(bindable && { binding_rotatable: true }),
    plan_updateable: upgradesOf(plan).length > 0,
    ...(maximumPollingDuration !== undefined && {
      maximum_polling_duration: maximumPollingDuration,
    }),
    ...(maintenance && { maintenance_info: maintenance }),
    schemas: {
      service_instance: { create: schema('create'), update: schema('update') },
      ...(bindable && { service_binding: { create: { parameters: publishedBindingSchema } } }),
    },
  };
}
