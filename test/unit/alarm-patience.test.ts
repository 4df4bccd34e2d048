import { describe, expect, it } from 'vitest';

import { dutyOf, type Present, type Standing } from '../../src/alarm/duty/duty.ts';
import { BindExt, NotifyExt } from '../../src/alarm/notify/policy-ext.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const now = Date.parse('2026-01-05T08:00:00Z');
const terms = {
  policy: NotifyExt.parse({}).content,
  bind: BindExt.parse({}).content,
  notifyInterval: 0,
  channelId: '7',
  acknowledges: false,
  timezone: 'UTC',
};
const present: Present = {
  now,
  state: null,
  since: now - 3 * DAY,
  stepsFrom: now - 3 * DAY,
  isConfirmed: false,
  isAcknowledged: false,
  isActing: false,
  level: 'P1',
  failedBefore: false,
  isStandIn: false,
  silencedUntil: null,
  mutedUntil: null,
  explainedBy: '0',
  allowedAt: now,
  isFull: false,
};

it.each([
  ['FIRED', present],
  ['RECOVERED', { ...present, state: 'OVER' }],
] as const)(
  'a message (%s) that failed is tried for a day after it was written, where it is about a report or an end',
  (event, given) => {
    const failedAt = (writtenAt: number): Standing => ({
      known: 'FIRING',
      knownTime: now - 2 * DAY,
      firedCount: 1,
      confirmKnown: false,
      mayKnow: false,
      sending: { event, status: 'FAILED', writtenAt },
      repeatAt: now,
    });
    expect(dutyOf(terms, failedAt(now - DAY + MINUTE), given)).toEqual({ do: 'repeat' });
    const late = { do: 'end', reason: 'UNREACHED' };
    expect(dutyOf(terms, failedAt(now - DAY - MINUTE), given)).toMatchObject(late);
  },
);

describe('a channel over which another policy sends the alarm', () => {
  const elsewhere: Present = { ...present, state: 'FIRING', unused: 'ELSEWHERE' };
  const within = (part: { isPart: boolean }): Standing => ({
    known: part.isPart ? 'FIRING' : 'NOTHING',
    knownTime: part.isPart ? now - MINUTE : null,
    firedCount: part.isPart ? 1 : 0,
    confirmKnown: false,
    mayKnow: false,
    sending: { event: 'FIRED', status: 'RETRY', isShared: true, ...part },
    repeatAt: null,
  });

  it('leaves to it what some receivers took of a message with other alarms', () => {
    const ends = { do: 'end', reason: 'UNUSED', drops: false, hands: true };
    expect(dutyOf(terms, within({ isPart: true }), elsewhere)).toEqual(ends);
  });

  it('waits for a message with other alarms that none took', () => {
    const waits = { do: 'wait', reason: 'SHARED' };
    expect(dutyOf(terms, within({ isPart: false }), elsewhere)).toMatchObject(waits);
  });
});
