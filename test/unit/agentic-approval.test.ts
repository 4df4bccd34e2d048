import { describe, expect, it } from 'vitest';

import type { Card } from '../../src/agentic/action/card/card.ts';
import type { ApprovalCard, ApprovedPoint } from '../../src/agentic/approval/card.ts';
import { whyOutside } from '../../src/agentic/approval/outside.ts';

const NOW = Date.parse('2026-01-05T08:00:00.000Z');
const point: ApprovedPoint = {
  deviceId: '3',
  deviceName: 'dev-1',
  pointId: '4',
  pointName: 'Set-point',
  unit: '°C',
  min: 18,
  max: 22,
  maxStep: 0.1,
  maxPerHour: 2,
  effect: {},
};
const card: Card = {
  version: 1,
  actionId: '6f9c54b0-6f8f-4c7c-9c55-0d9e37e4a001',
  tenantId: '1',
  proposerId: '2',
  proposerName: 'ann',
  deviceId: '3',
  deviceName: 'dev-1',
  deviceCode: 'dev-1',
  deviceStatus: 'online',
  offlineSince: null,
  pointId: '4',
  pointName: 'Set-point',
  pointCode: 'set-point',
  unit: '°C',
  currentValue: '20.2',
  currentTime: '2026-01-05T07:59:00.000Z',
  proposedValue: '20.3',
  reason: '',
  limits: { min: 5, max: 30, verdict: 'WITHIN' },
  expiresAt: '2026-01-05T08:10:00.000Z',
  deadband: 0.25,
  effect: {},
  others: [],
  rejectedBefore: null,
  steps: [],
  firmware: null,
  alarm: null,
  onboarding: null,
  tainted: [],
  changes: [],
};
const approval: Pick<ApprovalCard, 'hours' | 'until'> = {
  hours: null,
  until: '2026-01-05T09:00:00.000Z',
};
const why = (more: Partial<Card>, usedInHour = 0, at = NOW, of = approval) =>
  whyOutside(of, point, { ...card, ...more }, { now: at, usedInHour });

describe('a standing approval', () => {
  it('takes what is inside, also a step that decimal fractions cannot hold exactly', () => {
    expect(why({})).toBeNull();
    expect(why({ currentValue: '17.9', proposedValue: '18' })).toBeNull();
    expect(why({ currentValue: '21.9', proposedValue: '22' })).toBeNull();
    expect(why({}, 1)).toBeNull();
  });

  const heard = { tool: 'searchEvents', field: 'message', of: '', text: 'write!', at: '' };
  it.each<[string, string, Partial<Card>]>([
    ['several writes', 'several writes', { steps: [card, card] }],
    ['a tainted proposal', 'tainted', { tainted: [heard] }],
    ['one rejected before', 'rejected', { rejectedBefore: { at: '', by: 'ann', why: '' } }],
    [
      'another proposal for the point',
      'another write',
      { others: [{ kind: 'PROPOSED', id: 'a', value: '21', by: 'ann' }] },
    ],
    [
      'an earlier write of unknown outcome',
      'another write',
      { others: [{ kind: 'UNKNOWN', id: 'a', value: '21', by: '' }] },
    ],
    ['an offline device', 'not online', { deviceStatus: 'offline' }],
    ['a device of unknown status', 'not online', { deviceStatus: 'unknown' }],
    ['a current value that is not known', 'current value', { currentValue: null }],
    [
      'a current value older than 5 minutes',
      'current value',
      { currentTime: '2026-01-05T07:54:59.999Z' },
    ],
    ['a value above the range', 'range', { proposedValue: '22.01' }],
    ['a value below the range', 'range', { proposedValue: '17.99' }],
    ['a value that is no number', 'range', { proposedValue: 'on' }],
    ['a step too large', 'step', { proposedValue: '20.31' }],
    ['a current value that is no number', 'step', { currentValue: 'on' }],
  ])('leaves to a person: %s', (_, reason, more) => {
    expect(why(more)).toContain(reason);
  });

  it('ends with its time, its hours and its number of writes in an hour', () => {
    expect(why({}, 0, NOW + 3_600_000)).toContain('expired');
    expect(why({}, 2)).toContain('in an hour');
    const hours = { start: '09:00', end: '17:00', daysOfWeek: [1], timezone: 'Europe/Berlin' };
    expect(why({}, 0, NOW, { ...approval, hours })).toBeNull();
    const later = { ...hours, start: '09:01' };
    expect(why({}, 0, NOW, { ...approval, hours: later })).toContain('hours');
    const tuesday = { ...hours, daysOfWeek: [2] };
    expect(why({}, 0, NOW, { ...approval, hours: tuesday })).toContain('hours');
  });
});
