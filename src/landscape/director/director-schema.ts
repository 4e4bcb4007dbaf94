import { buildSchema } from 'graphql';

/** The part of Director's schema that has to do with runtimes. */
export const directorSchema = buildSchema(`
  scalar Any
  scalar Labels
  scalar PageCursor
  scalar Timestamp

  enum RuntimeStatusCondition { INITIAL PROVISIONING CONNECTED FAILED }
  enum OneTimeTokenType { Runtime Application }

  type Runtime {
    id: ID!
    name: String!
    description: String
    labels(key: String): Labels
    status: RuntimeStatus!
  }
  type RuntimeStatus { condition: RuntimeStatusCondition! timestamp: Timestamp! }
  type RuntimePage { data: [Runtime!]! pageInfo: PageInfo! totalCount: Int! }
  type PageInfo { startCursor: PageCursor! endCursor: PageCursor! hasNextPage: Boolean! }
  type Label { key: String! value: Any! }
  type OneTimeTokenForRuntime {
    token: String!
    connectorURL: String
    used: Boolean!
    expiresAt: Timestamp
    createdAt: Timestamp
    usedAt: Timestamp
    raw: String
    rawEncoded: String
    type: OneTimeTokenType
  }

  input RuntimeRegisterInput {
    name: String!
    description: String
    labels: Labels
    statusCondition: RuntimeStatusCondition
  }
  input RuntimeUpdateInput {
    name: String!
    description: String
    labels: Labels
    statusCondition: RuntimeStatusCondition
  }
  input LabelFilter { key: String! query: String }

  type Query {
    runtime(id: ID!): Runtime
    runtimes(filter: [LabelFilter!], first: Int = 200, after: PageCursor): RuntimePage!
  }
  type Mutation {
    registerRuntime(in: RuntimeRegisterInput!): Runtime!
    updateRuntime(id: ID!, in: RuntimeUpdateInput!): Runtime!
    unregisterRuntime(id: ID!): Runtime!
    setRuntimeLabel(runtimeID: ID!, key: String!, value: Any!): Label!
    requestOneTimeTokenForRuntime(id: ID!, systemAuthID: ID): OneTimeTokenForRuntime!
  }
`);
