import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { accepted } from '../config/testing.ts';
import { auditLogTenant, hasAuditLog, parseAuditLogTenants, withAuditLog } from './audit-log.ts';
import { maintenanceWindow, parseMaintenanceWindows } from './maintenance.ts';
import { onGardener, withSettings } from './testing.ts';
import { upgradedShoot } from './upgraded-shoot.ts';

const file = JSON.stringify({
  azure: {
    westeurope: { tenantID: 't-1', serviceURL: 'https://audit.example.com', secretName: 'audit' },
  },
});
const tenants = parseAuditLogTenants(file);

test('60: the audit log comes once, with the reference to its secret', () => {
  const config = accepted('azure');
  const choice = auditLogTenant(tenants, 'azure', config.region);
  assert.equal(choice.kind, 'tenant');
  const { tenant } = choice;
  const current = onGardener(config);
  assert.equal(hasAuditLog(current, tenant), false);

  const once = withAuditLog(upgradedShoot(current, config, withSettings()), tenant);
  assert.deepEqual(once.spec.extensions.at(-1), {
    type: 'shoot-auditlog-service',
    providerConfig: {
      apiVersion: 'service.auditlog.extensions.gardener.cloud/v1alpha1',
      kind: 'AuditlogConfig',
      type: 'standard',
      tenantID: 't-1',
      serviceURL: 'https://audit.example.com',
      secretReferenceName: 'auditlog-credentials',
    },
  });
  assert.deepEqual(once.spec.resources, [
    {
      name: 'auditlog-credentials',
      resourceRef: { apiVersion: 'v1', kind: 'Secret', name: 'audit' },
    },
  ]);

  const applied = onGardener(config, once.spec);
  assert.equal(hasAuditLog(applied, tenant), true);
  const twice = withAuditLog(upgradedShoot(applied, config, withSettings()), tenant);
  assert.deepEqual(twice, once);
  assert.equal(hasAuditLog(applied, { ...tenant, tenantID: 't-2' }), false);
  assert.equal(hasAuditLog(applied, { ...tenant, secretName: 'other' }), false);
  assert.deepEqual(upgradedShoot(applied, config, withSettings()).spec, once.spec);
});

test('60: a region or a provider that is not in the file is a warning', () => {
  for (const [provider, region] of [
    ['azure', 'uksouth'],
    ['aws', 'westeurope'],
    ['constructor', 'name'],
  ] as const) {
    assert.deepEqual(auditLogTenant(tenants, provider, region), {
      kind: 'none',
      warning: `there is no audit log tenant for ${provider} in region ${region}`,
    });
  }
});

test('50: a region without a window, or with half of one, is a warning for production alone', () => {
  const windows = parseMaintenanceWindows('{ "a": { "begin": "170000+0000" }, "b": {} }');
  for (const region of ['a', 'b', 'c', 'constructor']) {
    assert.deepEqual(maintenanceWindow({ region, purpose: 'production' }, windows), {
      kind: 'none',
      warning: `there is no maintenance window for region ${region}`,
    });
    assert.deepEqual(maintenanceWindow({ region, purpose: 'testing' }, windows), { kind: 'none' });
  }
  assert.deepEqual(maintenanceWindow({ region: 'a', purpose: 'production' }, undefined), {
    kind: 'none',
  });
});

for (const [what, text, complaint] of [
  ['no JSON', '{', 'are no JSON'],
  ['a list', '[]', 'expected record'],
  ['a time that is none', '{"a":{"begin":"250000+0000","end":"010000+0000"}}', 'HHMMSS+ZZZZ'],
  ['too short a window', '{"a":{"begin":"010000+0000","end":"011500+0000"}}', '30 minutes'],
  ['too long a window', '{"a":{"begin":"200000+0000","end":"030000+0000"}}', '6 hours'],
  [
    'a window that is too long in other zones',
    '{"a":{"begin":"200000+0200","end":"020000-0200"}}',
    '6 hours',
  ],
] as const) {
  test(`a file of maintenance windows with ${what} is refused`, () => {
    assert.throws(
      () => parseMaintenanceWindows(text),
      (error) => error instanceof Error && error.message.includes(complaint),
    );
  });
}

test('a window may pass midnight, in different time zones', () => {
  const windows = { a: { begin: '230000+0100', end: '013000+0000' } };
  assert.deepEqual(parseMaintenanceWindows(JSON.stringify(windows)), windows);
});

test('a wrong file of audit log tenants is refused without a word of it', () => {
  for (const text of ['canary', '{"canary', '{"azure":{"westeurope":{"tenantID":5}}}']) {
    assert.throws(
      () => parseAuditLogTenants(text),
      (error) => !inspect(error).includes('canary'),
    );
  }
});
