import { createHash, createHmac } from 'node:crypto';

/** As in the account pool's Secret. */
export type AwsCredentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
};

/** Whom a signature is for, and when: `20150830T123600Z`. */
export type SignatureScope = {
  readonly time: string;
  readonly region: string;
  readonly service: string;
};

/** A request without a body. */
export type RequestToSign = {
  readonly method: string;
  /** Its path needs no encoding. */
  readonly url: URL;
  /** Those that are signed, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
};

const algorithm = 'AWS4-HMAC-SHA256';

/** What a GET has to say so that AWS knows who asks: Signature Version 4. The secret itself is not sent. */
export function signatureHeaders(
  url: URL,
  { accessKeyId, secretAccessKey }: AwsCredentials,
  place: { readonly region: string; readonly service: string },
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const headers = { host: url.host, 'x-amz-date': time };
  const scope = { ...place, time };
  const signature = signatureOf({ method: 'GET', url, headers }, scope, secretAccessKey);
  return {
    'x-amz-date': time,
    authorization:
      `${algorithm} Credential=${accessKeyId}/${nameOf(scope)}, ` +
      `SignedHeaders=${namesOf(headers)}, Signature=${signature}`,
  };
}

export function signatureOf(
  { method, url, headers }: RequestToSign,
  scope: SignatureScope,
  secretAccessKey: string,
): string {
  const canonical = [
    method,
    url.pathname,
    queryOf([...url.searchParams]),
    ...inOrder(headers).map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`),
    '',
    namesOf(headers),
    sha256(''),
  ].join('\n');
  const toSign = [algorithm, scope.time, nameOf(scope), sha256(canonical)].join('\n');
  const key = [dayOf(scope), scope.region, scope.service, 'aws4_request'].reduce<string | Buffer>(
    (previous, part) => hmac(previous, part),
    `AWS4${secretAccessKey}`,
  );
  return hmac(key, toSign).toString('hex');
}

/** In the one form and order in which it is signed: sent like this, nobody can read it otherwise. */
export const queryOf = (parameters: readonly (readonly [string, string])[]): string =>
  parameters
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .toSorted(([nameA, a], [nameB, b]) => compare(nameA, nameB) || compare(a, b))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

/** RFC 3986: encodeURIComponent leaves some as they are. */
const encoded = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const dayOf = ({ time }: SignatureScope) => time.slice(0, 8);
const nameOf = (scope: SignatureScope) =>
  `${dayOf(scope)}/${scope.region}/${scope.service}/aws4_request`;
const inOrder = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).toSorted(([a], [b]) => compare(a, b));
const namesOf = (headers: Readonly<Record<string, string>>) =>
  inOrder(headers)
    .map(([name]) => name)
    .join(';');

const compare = (a: string, b: string) => Number(a > b) - Number(a < b);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) =>
  createHmac('sha256', key).update(text).digest();
