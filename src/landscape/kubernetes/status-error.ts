import type { Fields } from './kubernetes-object.ts';
import { qualifiedName, type ResourceKind } from './resource-kind.ts';

export type StatusCause = {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
};

/** A refusal as the API server words it: becomes a `Status` on the wire. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly reason: string;
  readonly details: Fields | undefined;

  constructor(code: number, reason: string, message: string, details?: Fields) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  get body(): Fields {
    const { message, reason, details, code } = this;
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(details && { details }),
      code,
    };
  }
}

const detailsOf = ({ group, plural }: ResourceKind, name: string, causes?: StatusCause[]) => ({
  name,
  ...(group !== '' && { group }),
  kind: plural,
  ...(causes && { causes }),
});
const quoted = (kind: ResourceKind, name: string) => `${qualifiedName(kind)} "${name}"`;

export const notFound = (kind: ResourceKind, name: string) =>
  new StatusError(404, 'NotFound', `${quoted(kind, name)} not found`, detailsOf(kind, name));

export const alreadyExists = (kind: ResourceKind, name: string) =>
  new StatusError(
    409,
    'AlreadyExists',
    `${quoted(kind, name)} already exists`,
    detailsOf(kind, name),
  );

export const conflict = (kind: ResourceKind, name: string, why: string = modified) =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${quoted(kind, name)}: ${why}`,
    detailsOf(kind, name),
  );
const modified =
  'the object has been modified; please apply your changes to the latest version and try again';

export const forbidden = (kind: ResourceKind, name: string, why: string, causes?: StatusCause[]) =>
  new StatusError(
    403,
    'Forbidden',
    `${quoted(kind, name)} is forbidden: ${why}`,
    detailsOf(kind, name, causes),
  );

/** One field is wrong; `message` begins with how: 'Required value: …'. */
export const invalid = (kind: ResourceKind, name: string, field: string, message: string) =>
  new StatusError(
    422,
    'Invalid',
    `${kind.kind}${kind.group && `.${kind.group}`} "${name}" is invalid: ${field}: ${message}`,
    detailsOf(kind, name, [{ reason: causeOf(message), message, field }]),
  );
const causeOf = (message: string) =>
  `FieldValue${(message.split(/ value|:/)[0] ?? '').replaceAll(' ', '')}`;

export const badRequest = (message: string) => new StatusError(400, 'BadRequest', message);
export const unauthorized = () => new StatusError(401, 'Unauthorized', 'Unauthorized');
export const withoutRights = (path: string) =>
  new StatusError(403, 'Forbidden', `forbidden: the account may not use path "${path}"`);
export const methodNotAllowed = () =>
  new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
  );
export const expired = (message: string) => new StatusError(410, 'Expired', message);
export const unsupportedMediaType = (accepted: readonly string[]) =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
export const rejected = (why: string) =>
  new StatusError(
    422,
    'Invalid',
    `the server rejected our request due to an error in our request: ${why}`,
  );
export const internalError = (message: string) =>
  new StatusError(500, 'InternalError', `Internal error occurred: ${message}`);
