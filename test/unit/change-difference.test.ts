import { expect, it } from 'vitest';

import type { ChangeRow } from '../../src/data/change/change-row.ts';
import { differencesIn, lineOf } from '../../src/data/change/line.ts';

it('compares fields that have names of what every object inherits', () => {
  const changes: unknown = JSON.parse(
    '{"device_ext":[{"a":1},{"a":1,"toString":"x","__proto__":{"isAdmin":true},"constructor":null}]}',
  );
  if (typeof changes !== 'object' || changes === null) throw new Error('an object');
  expect(differencesIn({ ...changes })).toEqual([
    { field: 'device_ext.toString', from: null, to: 'x' },
    { field: 'device_ext.__proto__', from: null, to: '{"isAdmin":true}' },
  ]);
});

it('names single values of a field that has members', () => {
  expect(
    differencesIn({ notify_ext: [{ content: { every: 1 } }, { content: { every: 2 } }] }),
  ).toEqual([{ field: 'every', from: '1', to: '2' }]);
  expect(differencesIn({ name: ['a', 'b'], same: [1, 1] })).toEqual([
    { field: 'name', from: 'a', to: 'b' },
  ]);
});

const row: ChangeRow = {
  kind: 'configuration',
  at: new Date(0),
  mark: '',
  id: '1',
  actorId: '1',
  actorName: 'anna',
  via: 'login',
  source: '',
  operation: 'ADD',
  entityType: 'silence',
  entityId: '1',
  entityName: '',
  deviceId: '0',
  deviceName: null,
  pointId: '0',
  pointName: null,
  unit: null,
  changes: {},
  fromValue: null,
  toValue: null,
  comment: null,
  tainted: null,
  proposerName: null,
  actionId: null,
  commandId: null,
};
const said = (change: Partial<Omit<ChangeRow, 'kind'>>): string =>
  lineOf({ ...row, ...change }, 0).what;

it.each([
  [
    'silence added: end time “noon”, reason “repair”',
    { changes: { end_time: [null, 'noon'], reason: [null, 'repair'] } },
  ],
  [
    'silence changed: end time “noon” → “none”, reason none → “repair”',
    {
      operation: 'UPDATE',
      changes: { end_time: ['noon', 'none'], reason: [null, 'repair'] },
    },
  ],
  [
    'point setting “signal” changed',
    {
      operation: 'UPDATE',
      entityType: 'point_attribute_config',
      entityName: 'signal',
      changes: { config_value: ['sine', 'constant'] },
    },
  ],
])('says in words: %s', (what, change) => expect(said(change)).toBe(what));

it('says what the log calls evidence', () =>
  expect(
    lineOf({ ...row, kind: 'decision', operation: 'action:evidence', entityName: 'x' }, 0).what,
  ).toBe('proved by a later reading “x”'));
