import { z } from 'zod';
import type { ParameterName } from './catalog-schema.ts';
import { hasEuAccess, providerFor } from './cluster-location.ts';
import { definitions, type Asked, type GivenParameters } from './parameter-definitions.ts';
import type { Plan } from './plans.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** All parameters that a plan takes with a request, the hidden ones included. */
export function acceptedParameters({ plan, request }: Asked): readonly ParameterName[] {
  const { shown, additional, hidden } = plan.parameters[request];
  return [...shown, ...additional, ...hidden];
}

/** Checks the form of the parameters, and refuses those that the plan does not take. */
export function parameterSchema(asked: Asked): z.ZodType<GivenParameters> {
  return (variantOf(asked).checked ??= checkedSchema(asked));
}

/** The same for the catalog. */
export function publishedSchema(asked: Asked, withAdditional: boolean): JsonSchema {
  const schemas = variantOf(asked);
  const key = withAdditional ? 'publishedWithAdditional' : 'published';
  return (schemas[key] ??= writtenSchema(asked, withAdditional));
}

type Schemas = {
  checked?: z.ZodType<GivenParameters>;
  published?: JsonSchema;
  publishedWithAdditional?: JsonSchema;
};

/** Schemas are slow to make and few: what they depend on of a platform is its provider and its EU access. */
const made = new WeakMap<Plan, Map<string, Schemas>>();

function variantOf({ plan, request, platform }: Asked): Schemas {
  const variants = made.get(plan) ?? new Map<string, Schemas>();
  made.set(plan, variants);
  const key = `${request} ${providerFor(plan, platform)} ${hasEuAccess(plan, platform)}`;
  const schemas = variants.get(key) ?? {};
  variants.set(key, schemas);
  return schemas;
}

function checkedSchema(asked: Asked): z.ZodType<GivenParameters> {
  const { required } = asked.plan.parameters[asked.request];
  const shape = acceptedParameters(asked).map((name) => {
    const definition: z.ZodType = definitions[name](asked);
    return [name, required.includes(name) ? definition : definition.exactOptional()];
  });
  return z.strictObject(Object.fromEntries(shape));
}

/**
 * In the dialect that every platform understands. Hidden parameters are patterns: platforms that check requests let them
 * pass, and forms have no field for them.
 */
function writtenSchema(asked: Asked, withAdditional: boolean): JsonSchema {
  const { form } = asked.plan.catalog;
  const { required, shown, additional, hidden } = asked.plan.parameters[asked.request];
  const visible = withAdditional ? [...shown, ...additional] : shown;
  const invisible = withAdditional ? hidden : [...additional, ...hidden];
  const order = form.controlsOrder.filter((name) => visible.includes(name));
  return {
    $schema: 'http://json-schema.org/draft-04/schema#',
    type: 'object',
    _show_form_view: true,
    _controlsOrder: order,
    // This dialect knows no empty list here.
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      order.map((name) => [name, { ...published(name, asked), ...form.hints[name] }]),
    ),
    ...(invisible.length > 0 && {
      patternProperties: Object.fromEntries(
        invisible.map((name) => [`^${name}$`, published(name, asked)]),
      ),
    }),
    additionalProperties: false,
  };
}

function published(name: ParameterName, asked: Asked): JsonSchema {
  const definition: z.ZodType = definitions[name](asked);
  const { $schema: _, ...schema } = z.toJSONSchema(definition, {
    target: 'draft-4',
    io: 'input',
    override: ({ jsonSchema }) => {
      // Every whole number is limited so: not worth a word.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return schema;
}
