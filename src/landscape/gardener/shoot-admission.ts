import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../kubernetes/kinds-served.ts';
import type { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import { secretBinding, seed, shoot } from '../kubernetes/kinds.ts';
import { valueAt, type KubernetesObject } from '../kubernetes/kubernetes-object.ts';
import { forbidden, invalid } from '../kubernetes/status-error.ts';

const confirmation = 'confirmation.gardener.cloud/deletion';
/** Of the project's name and the shoot's. */
const longestNames = 21;
/** What stays as it was given once. */
const immutable = [
  'region',
  'seedName',
  'cloudProfileName',
  'provider.type',
  'dns.domain',
  'networking.type',
  'networking.nodes',
  'networking.pods',
  'networking.services',
];

/** What Gardener asks of everybody who creates, changes or deletes a shoot. */
export const admitShoot = (api: KubernetesApi) => (change: Change) => {
  switch (change.operation) {
    case 'CREATE': {
      const { metadata, spec } = change.object;
      const { name, namespace = '' } = metadata;
      const account = valueAt(spec, ['secretBindingName']);
      if (typeof account !== 'string' || account === '')
        throw invalid(shoot, name, 'spec.secretBindingName', 'Required value: must be given');
      if (!api.get(secretBinding, { namespace, name: account }))
        throw forbidden(shoot, name, `there is no SecretBinding "${account}" in ${namespace}`);
      const project = namespace.replace('garden-', '');
      if (project.length + name.length > longestNames) {
        const why = `Invalid value: "${name}": with the project ${project} it has more than ${longestNames} characters`;
        throw invalid(shoot, name, 'metadata.name', why);
      }
      const seedName = valueAt(spec, ['seedName']);
      if (typeof seedName === 'string' && !api.get(seed, { name: seedName }))
        throw invalid(shoot, name, 'spec.seedName', `Not found: "${seedName}"`);
      metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), 'gardener'])];
      return;
    }
    case 'DELETE': {
      const { name, annotations } = change.before.metadata;
      if (annotations?.[confirmation] === 'true') return;
      throw forbidden(shoot, name, `its annotation ${confirmation} must be "true" before`);
    }
    case 'UPDATE':
      return admitUpdate(change.object, change.before);
  }
};

function admitUpdate({ metadata: { name }, spec }: KubernetesObject, before: KubernetesObject) {
  for (const field of immutable) {
    const [is, was] = [spec, before['spec']].map((each) => valueAt(each, field.split('.')));
    if (was === undefined || isDeepStrictEqual(is, was)) continue;
    const why = `Invalid value: ${JSON.stringify(is ?? null)}: field is immutable`;
    throw invalid(shoot, name, `spec.${field}`, why);
  }
  const [is, was] = [versionIn(spec), versionIn(before['spec'])];
  if (!is || !was) return;
  const difference = is.major - was.major || is.minor - was.minor || is.patch - was.patch;
  const isTooFar = is.major !== was.major || is.minor > was.minor + 1;
  if (difference >= 0 && !isTooFar) return;
  const what = difference < 0 ? 'downgrade' : 'skipping';
  const why = `Forbidden: kubernetes version ${what} is not supported`;
  throw invalid(shoot, name, 'spec.kubernetes.version', why);
}

/** Undefined for what cannot be compared. */
function versionIn(spec: unknown) {
  const given = valueAt(spec, ['kubernetes', 'version']);
  const text = typeof given === 'string' ? given : '';
  const [, major, minor, patch = '0'] = /^(\d+)\.(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  return major === undefined
    ? undefined
    : { major: Number(major), minor: Number(minor), patch: Number(patch) };
}
