import {
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  parse,
  Source,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLFormattedError,
  type GraphQLSchema,
} from 'graphql';
import { chosenOperation, excessOf, excessOfText } from './query-limits.ts';
import { excessInVariables } from './value-limits.ts';

export type GraphqlRequest = {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly operationName?: string | null | undefined;
};

type Read =
  | { readonly document: DocumentNode; readonly kind: string }
  | { readonly refused: GraphQLFormattedError };

/** How many queries are known at most, and how long each may be. */
const knownQueries = { count: 1_000, length: 2_000 };

/**
 * Reads what is asked, or says why it is refused, at a cost that is known beforehand. Whoever waits for an operation asks the
 * same again and again: queries are read once. Mutations are not kept: they carry secrets.
 */
export function documentReader(
  schema: GraphQLSchema,
  { introspection }: { readonly introspection: boolean },
): (request: GraphqlRequest) => Read {
  const rules = introspection
    ? specifiedRules
    : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const known = new Map<string, DocumentNode>();

  const read = (query: string): DocumentNode => {
    const source = new Source(query);
    refuseIf(excessOfText(source));
    const document = parse(source);
    refuseIf(excessOf(document));
    const [complaint] = validate(schema, document, rules, { maxErrors: 1 });
    if (complaint) throw new Invalid(complaint);
    if (isToBeKept(query, document)) known.set(query, document);
    return document;
  };

  return ({ query, variables, operationName }) => {
    try {
      const document = known.get(query) ?? read(query);
      // The one that was asked for longest ago makes room.
      if (known.delete(query)) known.set(query, document);
      const [oldest] = known.size > knownQueries.count ? known.keys() : [];
      if (oldest !== undefined) known.delete(oldest);
      refuseIf(excessInVariables(variables ?? {}));
      return { document, kind: kindOf(schema, document, operationName || undefined) };
    } catch (error) {
      if (error instanceof Invalid) return { refused: invalid(error.reason) };
      if (error instanceof GraphQLError) return { refused: invalid(error, 'GRAPHQL_PARSE_FAILED') };
      throw error;
    }
  };
}

/** It can be read, and will not do. */
class Invalid extends Error {
  override readonly name = 'Invalid';
  readonly reason: GraphQLError;

  constructor(reason: GraphQLError) {
    super(reason.message);
    this.reason = reason;
  }
}

const refused = (why: string) => new Invalid(new GraphQLError(why));

function refuseIf(excess: string | undefined): void {
  if (excess !== undefined) throw refused(excess);
}

const isToBeKept = (query: string, { definitions }: DocumentNode) =>
  query.length <= knownQueries.length &&
  definitions.every((each) => !('operation' in each) || each.operation === OperationTypeNode.QUERY);

function kindOf(schema: GraphQLSchema, document: DocumentNode, name: string | undefined) {
  const chosen = chosenOperation(document, name);
  if (!chosen)
    throw refused(
      name
        ? `there is no operation ${name} in the request`
        : 'operationName must say which one of the operations is meant',
    );
  if (!schema.getRootType(chosen.operation))
    throw refused(`there is no ${chosen.operation} in the schema`);
  return chosen.operation;
}

export const clientMistake = {
  error_code: 400,
  error_reason: 'err_provisioner_bad_request',
  error_component: 'provisioner',
} as const;

/** As callers see it. */
export const invalid = (error: GraphQLError, code = 'GRAPHQL_VALIDATION_FAILED') => ({
  message: shortened(error.message),
  ...(error.locations && { locations: error.locations }),
  extensions: { code, ...clientMistake },
});

/** A message may quote what was sent, and that may be long. */
export const shortened = (text: string): string =>
  text.length > 1_000 ? `${text.slice(0, 1_000)}…` : text;
