import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted } from '../config/testing.ts';
import { checkHibernation, hibernationStatus } from './hibernation.ts';
import { onGardener } from './testing.ts';

const withConstraint = (status: string, hibernated = false) => ({
  ...onGardener(accepted('azure')),
  status: {
    hibernated,
    constraints: [
      { type: 'MaintenancePreconditionsSatisfied', status: 'True' },
      { type: 'HibernationPossible', status, message: 'a webhook is in the way' },
    ],
  },
});

test('58: hibernation is refused where Gardener says that it is impossible, with its reason', () => {
  assert.throws(() => checkHibernation(withConstraint('False')), {
    code: 400,
    message: 'cannot hibernate cluster: a webhook is in the way',
  });
  checkHibernation(withConstraint('True'));
  checkHibernation(withConstraint('Unknown'));
  checkHibernation(onGardener(accepted('azure')));
});

test('the status of hibernation is what Gardener says', () => {
  const asleep = { hibernated: true, hibernationPossible: true };
  assert.deepEqual(hibernationStatus(withConstraint('True', true)), asleep);
  const awake = { hibernated: false, hibernationPossible: false };
  assert.deepEqual(hibernationStatus(withConstraint('False')), awake);
  assert.deepEqual(hibernationStatus(onGardener(accepted('azure'))), awake);
});
