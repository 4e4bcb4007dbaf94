import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { signatureOf } from '#clients';
import { minutes } from '#time';
import { CloudRefusal } from '../cloud-refusal.ts';

/**
 * There are no accounts to set up in a simulator: each access key opens an account of its own, and this secret belongs to
 * all of them. It is the one in Gardener's Secrets.
 */
const secretAccessKey = 'simulated-secretAccessKey';

const authorization =
  /^AWS4-HMAC-SHA256 Credential=([^/, ]+)\/(\d{8})\/([^/, ]+)\/ec2\/aws4_request, ?SignedHeaders=([a-z\d;-]+), ?Signature=([\da-f]{64})$/;
const timestamp = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** A signature is good for so long. */
const tolerance = minutes(15);

/** Whose account a request is about: computed from what has arrived, as AWS does it, and compared with the signature. */
export function accountOf({ method, headers, raw }: FastifyRequest, region: string): string {
  const [, accessKey = '', day = '', signedFor, names = '', signature = ''] =
    authorization.exec(headers.authorization ?? '') ?? [];
  const time = headers['x-amz-date'];
  const signed = names.split(';');
  if (
    signedFor !== region ||
    typeof time !== 'string' ||
    !time.startsWith(day) ||
    !signed.includes('host') ||
    !signed.includes('x-amz-date')
  )
    throw refused();
  const url = new URL(raw.url ?? '/', `http://${headers.host}`);
  const values = Object.fromEntries(signed.map((name) => [name, String(headers[name] ?? '')]));
  const scope = { time, region, service: 'ec2' };
  const expected = signatureOf({ method, url, headers: values }, scope, secretAccessKey);
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(signature))) throw refused();
  checkTime(time);
  return accessKey;
}

/** Callers sign by their own clock: ours may run faster, and jump. */
function checkTime(time: string): void {
  const signedAt = Date.parse(time.replace(timestamp, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(Date.now() - signedAt) < tolerance))
    throw new CloudRefusal(400, 'RequestExpired', 'Request has expired.');
}

const refused = () =>
  new CloudRefusal(401, 'AuthFailure', 'AWS was not able to validate the access credentials');
