import { enumName, type Literal } from '../graphql-document.ts';
import type { KymaConfigInput } from './runtime-input.ts';

/** As it stands in a document: the names of strategies and profiles have no quotes there. */
export const kymaConfigLiteral = ({
  profile,
  conflictStrategy,
  components,
  ...others
}: KymaConfigInput): Literal => ({
  ...others,
  profile: profile && enumName(profile),
  conflictStrategy: conflictStrategy && enumName(conflictStrategy),
  components: components.map(({ conflictStrategy: own, ...component }) => ({
    ...component,
    conflictStrategy: own && enumName(own),
  })),
});

/** A document with such a configuration is itself a secret. */
export const holdsSecrets = ({ configuration = [], components }: KymaConfigInput): boolean =>
  [configuration, ...components.map((each) => each.configuration ?? [])]
    .flat()
    .some(({ secret }) => secret);
