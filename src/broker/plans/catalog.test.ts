import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { loadCatalog, readCatalog } from './catalog.ts';
import { catalog } from './testing.ts';

const text = await readFile(new URL('catalog.yaml', import.meta.url), 'utf8');

test('the plans have the ids that platforms know them by', () => {
  const ids = Object.entries(catalog.plans).map(([name, { id }]) => [name, id]);
  assert.deepEqual(Object.fromEntries(ids), {
    azure: '4deee563-e5ec-4731-b9b1-53b42d855f0c',
    azure_lite: '8cb22518-aa26-44c5-91a0-e669ec9bf443',
    aws: '361c511f-f939-4621-b228-d0fb79a1fe15',
    gcp: 'ca6e5357-707f-4565-bbbd-b3ab732597c6',
    openstack: '03b812ac-c991-4528-b5bd-08b303523a63',
    trial: '7d55d31d-35ae-4438-bf13-6ffdfa107d9f',
    free: 'b1a5764e-2ea1-4f95-94c0-2b4538b37b55',
    own_cluster: '03e3cb66-a4c6-4c6a-b4b0-5d42224debea',
    preview: '5cb3d976-b85c-42ea-a636-79cadda109a9',
    'build-runtime-aws': '6aae0ff3-89f7-4f12-86de-51466145422e',
    'build-runtime-gcp': 'a310cd6b-6452-45a0-935d-d24ab53f9eba',
    'build-runtime-azure': '499244b4-1bef-48c9-be68-495269899f8e',
  });
});

test('zones are those of the providers', () => {
  const letters = (provider: 'aws' | 'openstack') =>
    Object.entries(catalog.providers[provider].regions).map(
      ([region, { zones }]) =>
        `${region} ${zones.map((zone) => zone.replace(region, '')).join('')}`,
    );
  assert.deepEqual(letters('aws'), [
    'eu-central-1 abc',
    'eu-west-1 a',
    'eu-west-2 abc',
    'ca-central-1 abd',
    'sa-east-1 abc',
    'us-east-1 abcdf',
    'us-west-1 ab',
    'ap-northeast-1 acd',
    'ap-northeast-2 abc',
    'ap-south-1 abc',
    'ap-southeast-1 abc',
    'ap-southeast-2 abc',
  ]);
  assert.deepEqual(letters('openstack'), ['eu-de-1 abd', 'eu-de-2 abd', 'ap-sa-1 a']);
  for (const { zones } of Object.values(catalog.providers.azure.regions)) {
    assert.deepEqual(zones, ['1', '2', '3']);
  }
  for (const [region, { zones }] of Object.entries(catalog.providers.gcp.regions)) {
    assert.deepEqual(zones, [`${region}-a`, `${region}-b`, `${region}-c`]);
  }
});

test('a catalog may be given as JSON', () => {
  assert.deepEqual(
    Object.keys(loadCatalog(JSON.stringify(catalog)).plans),
    Object.keys(catalog.plans),
  );
});

const mistakes: readonly (readonly [what: string, from: string, to: string, message: RegExp])[] = [
  ['a broken id', 'id: 4deee563-e5ec', 'id: 4deee563', /plans\.azure\.id: .*got "4deee563-4731/],
  ['an unknown key', 'free: false', 'fre: false', /plans\.azure: .*"fre"/],
  [
    'an unknown parameter',
    'shown: [kubeconfig]',
    'shown: [kubekonfig]',
    /own_cluster\.parameters\.update\.shown\.0: .*got "kubekonfig"/,
  ],
  [
    'a region that is not described',
    'region: eu-de-2',
    'region: eu-de-3',
    /plans\.openstack\.providers\.openstack\.region: eu-de-3 is none of eu-de-1, eu-de-2, ap-sa-1/,
  ],
  [
    'a machine that is not described',
    'machineTypes: [g_c4_m16,',
    'machineTypes: [g_c2_m8,',
    /plans\.openstack\.providers\.openstack\.machineTypes: g_c2_m8 is none of/,
  ],
  [
    'an id that is used twice',
    'id: 03b812ac-c991-4528-b5bd-08b303523a63',
    'id: ca6e5357-707f-4565-bbbd-b3ab732597c6',
    /plans\.openstack\.id: ca6e5357-\S+ is the id of gcp, too/,
  ],
  [
    'a range with host bits',
    'pods: 10.96.0.0/13',
    'pods: 10.96.0.1/13',
    /networking\.pods: expected a range .*got "10\.96\.0\.1\/13"/,
  ],
  [
    'limits the wrong way round',
    'nodes: { min: 4, max: 8 }',
    'nodes: { min: 9, max: 8 }',
    /openstack\.nodes: min 9 is larger than max 8/,
  ],
  [
    'several providers and nobody to choose',
    'providerFrom: platform',
    '',
    /plans\.free\.providerFrom: needed to choose among aws, azure/,
  ],
  [
    'an upgrade to nowhere',
    'upgradableTo: [build-runtime-gcp]',
    'upgradableTo: [gpc]',
    /plans\.gcp\.upgradableTo: gpc is none of/,
  ],
  [
    'a choice of nothing',
    'hidden: [expired]',
    'hidden: [expired, machineType]',
    /plans\.trial\.parameters\.update: machineType is taken, but/,
  ],
  [
    'a parameter that is named twice',
    'hidden: [expired]',
    'hidden: [expired, oidc]',
    /plans\.trial\.parameters\.update: oidc is named twice/,
  ],
  [
    'a hint for nothing',
    'networking.nodes: {',
    'netwrking.nodes: {',
    /form\.hints: netwrking is none of/,
  ],
  [
    'an instance without a name',
    'required: [name, kubeconfig,',
    'required: [kubeconfig,',
    /plans\.own_cluster\.parameters\.create\.required: name is missing/,
  ],
  [
    'an area without a region',
    'cf-apj21: asia',
    'cf-apj21: australia',
    /plans\.trial\.platformRegions: australia is none of/,
  ],
  [
    'EU access in a region that is not described',
    'euAccessRegion: switzerlandnorth',
    'euAccessRegion: switzerlandsouth',
    /providers\.azure\.euAccessRegion: switzerlandsouth is none of/,
  ],
  ['text that is not YAML', 'service:', 'service: [', /not YAML/],
];

for (const [what, from, to, message] of mistakes) {
  test(`a catalog with ${what} is refused, and told where`, () => {
    assert.ok(text.includes(from), `the catalog has no "${from}"`);
    assert.throws(() => loadCatalog(text.replace(from, to)), { name: 'InvalidCatalog', message });
  });
}

test('the catalog of a file is read, and a mistake names the file', async () => {
  await assert.rejects(readCatalog(new URL('testing.ts', import.meta.url)), {
    name: 'InvalidCatalog',
    message: /testing\.ts: /,
  });
});
