import { Kind, OperationTypeNode, parse } from 'graphql';
import { z } from 'zod';

const GraphqlBody = z.object({ query: z.string() });

/** The root fields of a GraphQL request, and whether it only reads; undefined if it is none. */
export function graphqlRequest(body: unknown): { fields: string[]; isRead: boolean } | undefined {
  const given = GraphqlBody.safeParse(body);
  if (!given.success) return undefined;
  let document;
  try {
    document = parse(given.data.query, { noLocation: true });
  } catch {
    return undefined; // the system itself will say what is wrong with it
  }
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  return {
    isRead: operations.every(({ operation }) => operation === OperationTypeNode.QUERY),
    fields: operations.flatMap(({ selectionSet }) =>
      selectionSet.selections.flatMap((each) =>
        each.kind === Kind.FIELD ? [each.name.value] : [],
      ),
    ),
  };
}
