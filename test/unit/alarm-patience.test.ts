import { expect, it } from 'vitest';

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
