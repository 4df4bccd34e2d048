import { expect, it } from 'vitest';

import type { CauseFacts } from '../../src/alarm/explain/cause-facts.ts';
import { rankedCauses } from '../../src/alarm/explain/causes.ts';

const FIRED = Date.UTC(2026, 0, 5, 8);
const before = (minutes: number): Date => new Date(FIRED - minutes * 60_000);

it('the episodes of one rule at one place are one cause, which leaves room for others', () => {
  const neighbour = {
    deviceId: '5',
    deviceName: 'boiler',
    pointName: 'pressure',
    driverName: null,
    ruleName: 'pressure too high',
    message: '',
    isOutage: false,
    isCommon: false,
    place: 'DEVICE' as const,
  };
  const write = {
    commandId: '90',
    actionId: null,
    at: before(2),
    deviceId: '6',
    deviceName: 'pump',
    pointName: 'speed',
    value: '80',
    unit: '%',
    isCertain: true,
    place: 'GROUP' as const,
  };
  const facts: CauseFacts = {
    alarms: [1, 2, 3, 4, 5, 6].map((minutes) => ({
      ...neighbour,
      id: `${minutes}`,
      at: before(minutes),
      over: before(minutes - 0.5),
    })),
    writes: [write],
    changes: [],
    readings: [],
    bad: [],
    work: [],
  };
  const alarm = { firedAt: FIRED, onset: FIRED, isSilence: false, deviceId: '5', pointId: '7' };
  const causes = rankedCauses(alarm, facts, FIRED);
  expect(causes.map(({ kind, evidence }) => [kind, evidence[0]?.id])).toEqual([
    ['NEIGHBOUR', '1'],
    ['WRITE', '90'],
  ]);
});

it('a move to another group is less of a cause than a change of the device', () => {
  const change: CauseFacts['changes'][number] = {
    kind: 'configuration',
    at: before(2),
    mark: '',
    id: '1',
    actorId: '3',
    actorName: 'Ann',
    via: 'login',
    source: '',
    operation: 'UPDATE',
    entityType: 'device',
    entityId: '5',
    entityName: 'boiler',
    deviceId: '5',
    deviceName: 'boiler',
    pointId: '0',
    pointName: null,
    unit: null,
    changes: { profile_id: [1, 2] },
    fromValue: null,
    toValue: null,
    comment: null,
    tainted: null,
    proposerName: null,
    actionId: null,
    commandId: null,
  };
  const names = { group_id: [1, 2], group_name: ['Hall 3', 'Hall 4'] };
  const facts: CauseFacts = {
    alarms: [],
    writes: [],
    changes: [{ ...change, entityType: 'group_bind', entityId: '9', changes: names }, change],
    readings: [],
    bad: [],
    work: [],
  };
  const alarm = { firedAt: FIRED, onset: FIRED, isSilence: false, deviceId: '5', pointId: '7' };
  const causes = rankedCauses(alarm, facts, FIRED);
  expect(causes.map(({ evidence }) => evidence[0]?.id)).toEqual(['5', '9']);
  expect(causes[1]?.say).toBe(
    'membership in a group changed “Hall 3” → “Hall 4” (“boiler”), by “Ann”, 2 min before it fired.',
  );
});
