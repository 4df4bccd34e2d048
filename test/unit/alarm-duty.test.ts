import { describe, expect, it } from 'vitest';

import { dutyOf, type Present, type Standing, type Terms } from '../../src/alarm/duty/duty.ts';
import { amongOthers, firstCalled } from '../../src/alarm/duty/escalation.ts';
import { rateOf } from '../../src/alarm/duty/wants.ts';
import { BindExt, NotifyExt } from '../../src/alarm/notify/policy-ext.ts';

const now = Date.parse('2026-01-05T08:00:00Z');
const MINUTE = 60_000;
const terms = (policy: object = {}, bind: object = {}, notifyInterval = 0): Terms => ({
  policy: NotifyExt.parse({ content: policy }).content,
  bind: BindExt.parse({ content: bind }).content,
  notifyInterval,
  channelId: '7',
  acknowledges: false,
  timezone: 'Europe/Berlin',
});
const unknown: Standing = {
  known: 'NOTHING',
  knownTime: null,
  firedCount: 0,
  confirmKnown: false,
  mayKnow: false,
  sending: null,
  repeatAt: null,
};
const told: Standing = { ...unknown, known: 'FIRING', knownTime: now - MINUTE, firedCount: 1 };
const fires: Present = {
  now,
  state: 'FIRING',
  since: now - 10 * MINUTE,
  stepsFrom: now - 10 * MINUTE,
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
const over: Present = { ...fires, state: 'OVER', since: now };
const night = { silence: { windows: [{ start: '06:00', end: '09:00' }] } };
const nightEnds = now + 60 * MINUTE;
const sending = (
  event: 'FIRED' | 'RECOVERED',
  status: 'PENDING' | 'SENT' | 'RETRY' | 'FAILED',
) => ({
  event,
  status,
});

describe('a channel of an alarm that fires', () => {
  it('is notified, where nothing speaks against it', () => {
    expect(dutyOf(terms(), unknown, fires)).toEqual({
      do: 'send',
      event: 'FIRED',
      isReminder: false,
    });
  });

  it.each<[string, Terms, Partial<Present>, number]>([
    ['SILENCE', terms(night), {}, nightEnds],
    ['MAINTENANCE 2026-01-05T08:00:00.005Z', terms(), { mutedUntil: now + 5 }, now + 5],
    ['SILENCED', terms(), { silencedUntil: now + 5 }, now + 5],
    ['RATE_LIMIT', terms(), { allowedAt: now + 7 }, now + 7],
    ['TOO_MUCH', terms(), { isFull: true }, now + MINUTE],
  ])('waits for the end of: %s', (reason, policy, more, until) => {
    const present = { ...fires, ...more };
    expect(dutyOf(policy, unknown, present)).toEqual({ do: 'wait', until, reason });
  });

  it('is told of a confirmation once, where its receiver takes that, and it got the alarm', () => {
    const pager = { ...terms(), acknowledges: true };
    const confirmed = { ...fires, isConfirmed: true };
    expect(dutyOf(pager, told, confirmed)).toEqual({ do: 'acknowledge' });
    expect(dutyOf(pager, { ...told, confirmKnown: true }, confirmed).do).toBe('rest');
    expect(dutyOf(terms(), told, confirmed).do).toBe('rest');
  });

  it('is reminded only where that is asked for, as often as it says, until a confirmation', () => {
    expect(dutyOf(terms(), told, fires)).toEqual({ do: 'rest', reason: '' });
    const hourly = terms({ repeat: { enabled: true, intervalMs: MINUTE, maxTimes: 2 } });
    const reminded = { do: 'send', event: 'FIRED', isReminder: true };
    expect(dutyOf(hourly, told, fires)).toEqual(reminded);
    expect(dutyOf(hourly, { ...told, knownTime: now - 1 }, fires)).toEqual({
      do: 'wait',
      until: now - 1 + MINUTE,
      reason: '',
    });
    expect(dutyOf(hourly, { ...told, firedCount: 2 }, fires)).toEqual(reminded);
    expect(dutyOf(hourly, { ...told, firedCount: 3 }, fires)).toMatchObject({ do: 'rest' });
    expect(dutyOf(hourly, told, { ...fires, isConfirmed: true })).toMatchObject({ do: 'rest' });
    expect(dutyOf(hourly, told, { ...fires, isAcknowledged: true })).toMatchObject({ do: 'rest' });
  });

  it('gets one message at a time, and one that failed again as long as the alarm goes on', () => {
    for (const status of ['PENDING', 'SENT', 'RETRY'] as const)
      expect(dutyOf(terms(), { ...unknown, sending: sending('FIRED', status) }, fires)).toEqual({
        do: 'rest',
        reason: '',
      });
    const failed = { ...unknown, sending: sending('FIRED', 'FAILED'), repeatAt: now };
    const old = { ...fires, since: now - 30 * 86_400_000 };
    expect(dutyOf(terms(), failed, old)).toEqual({ do: 'repeat' });
    expect(dutyOf(terms(night), failed, fires)).toMatchObject({ do: 'wait', until: nightEnds });
    expect(dutyOf(terms(), { ...failed, repeatAt: now + 1 }, fires)).toMatchObject({ do: 'wait' });
    expect(dutyOf(terms(), { ...failed, repeatAt: null }, fires)).toMatchObject({ do: 'rest' });
  });
});

describe('a channel in a step of escalation', () => {
  const steps = (...escalation: object[]): Terms => terms({ escalation });
  const after = (step: object = {}) =>
    steps({ channels: ['5'], afterMs: 0 }, { channels: ['7'], after: 'PT10M', ...step });
  const early: Present = { ...fires, since: now - 4 * MINUTE, stepsFrom: now - 4 * MINUTE };
  const called = { do: 'send', event: 'FIRED', isReminder: false };

  it('waits until its time after the begin, in words, and is called then', () => {
    expect(dutyOf(after(), unknown, early)).toEqual({
      do: 'wait',
      until: now + 6 * MINUTE,
      reason: expect.stringMatching(/^STEP 2 \d{4}-.*:06:00.000Z$/),
      isCalled: false,
    });
    expect(dutyOf(after(), unknown, fires)).toEqual({
      ...called,
      note: 'Escalation step 2: not confirmed for 10 min',
    });
  });

  it('is not called of an alarm that is confirmed, and what waits of it does not go out', () => {
    const confirmed = { ...fires, isConfirmed: true };
    const rests = { do: 'rest', reason: 'CONFIRMED 2', isCalled: false };
    expect(dutyOf(after(), unknown, confirmed)).toEqual(rests);
    const queued = { ...unknown, sending: sending('FIRED', 'RETRY') };
    expect(dutyOf(after(), queued, confirmed)).toEqual({ ...rests, drops: true });
    const sent = { ...unknown, sending: sending('FIRED', 'SENT') };
    expect(dutyOf(after(), sent, confirmed)).toEqual({ do: 'rest', reason: '' });
  });

  it('is called earlier when those before it could not be reached, where its step says so', () => {
    const failed = { ...early, failedBefore: true };
    expect(dutyOf(after(), unknown, failed)).toMatchObject({ do: 'wait' });
    const note = 'Escalation step 2: the channels before could not be reached';
    expect(dutyOf(after({ onFailure: true }), unknown, failed)).toEqual({ ...called, note });
    const second = steps({ channels: ['7'], onFailure: true });
    expect(dutyOf(second, unknown, failed)).toMatchObject(called);
    expect(dutyOf(second, unknown, fires)).toEqual({
      do: 'rest',
      reason: 'STEP_ON_FAILURE 1',
      isCalled: false,
    });
  });

  it('is called of the levels of its step alone', () => {
    const urgent = after({ levels: ['P0'] });
    expect(dutyOf(urgent, unknown, fires)).toEqual({
      do: 'rest',
      reason: 'LEVEL',
      isCalled: false,
    });
    expect(dutyOf(urgent, unknown, { ...fires, level: 'P0' })).toMatchObject(called);
  });

  it('comes after those of earlier steps, and after those in no step', () => {
    const { policy } = steps(
      { channels: ['5'], afterMs: 1 },
      { channels: ['7'], onFailure: true },
      { channels: ['9'], afterMs: 9 },
    );
    const of = { policy, channelId: '7' };
    const failedBefore = (...unreached: string[]) => {
      const reached = ['1', '5', '7', '9'].map((id) => ({
        id,
        bind: terms().bind,
        knows: false,
        isUnreached: unreached.includes(id),
      }));
      return amongOthers(of, { level: 'P1', now }, reached).failedBefore;
    };
    expect(failedBefore('1')).toBe(false);
    expect(failedBefore('1', '5')).toBe(true);
    const ids = (...some: string[]) => some.map((id) => ({ id }));
    expect(firstCalled(policy, 'P1', ids('1', '5', '7'))).toEqual(['1']);
    expect(firstCalled(policy, 'P1', ids('9', '5', '7'))).toEqual(['5']);
  });
});

describe('a channel with a rota', () => {
  // A Monday, 09:00 in Berlin.
  const timezone = 'Europe/Berlin';
  const early = { start: '06:00', end: '08:00', daysOfWeek: ['MONDAY'] };
  const late = { start: '09:00', end: '14:00' };
  const rota = (windows: object[], more: object = {}) =>
    terms({}, { onCall: { timezone, windows, ...more } });
  const called = { do: 'send', event: 'FIRED', isReminder: false };

  it('gets alarms while it is on call, and those that go on unconfirmed when that begins', () => {
    expect(dutyOf(rota([late]), unknown, fires)).toEqual(called);
    const waits = { do: 'wait', until: now + 5 * MINUTE, reason: 'NOT_ON_CALL', isCalled: false };
    expect(dutyOf(rota([early]), unknown, fires)).toEqual(waits);
    const confirmed = { ...fires, isConfirmed: true };
    expect(dutyOf(rota([early]), unknown, confirmed)).toMatchObject({ do: 'rest' });
    const recovered = { do: 'send', event: 'RECOVERED', isReminder: false };
    expect(dutyOf(rota([early]), told, over)).toEqual(recovered);
  });

  it('has other windows on holidays, or none', () => {
    const dates = ['2026-01-05'];
    expect(dutyOf(rota([late], { holidays: { dates } }), unknown, fires)).toMatchObject({
      reason: 'NOT_ON_CALL',
    });
    const holidays = { dates, windows: [late] };
    expect(dutyOf(rota([early], { holidays }), unknown, fires)).toEqual(called);
  });

  it('of its step is called by that', () => {
    const onCall = { timezone, windows: [late] };
    const step = { channels: ['7'], afterMs: 0, onCall };
    const ofStep = { ...rota([early]), policy: terms({ escalation: [step] }).policy };
    expect(dutyOf(ofStep, unknown, fires)).toMatchObject(called);
  });

  it('gets an alarm out of its hours where no channel is on call and it is called first', () => {
    const { policy } = terms({ escalation: [{ channels: ['9'], afterMs: 1 }] });
    const away = rota([early]).bind;
    const isStandIn = (channelId: string, others: object) => {
      const bound = ['5', '7', '9'].map((id) => ({
        id,
        bind: away,
        knows: false,
        isUnreached: false,
        ...others,
      }));
      return amongOthers({ policy, channelId }, { level: 'P1', now }, bound).isStandIn;
    };
    expect(isStandIn('7', {})).toBe(true);
    expect(isStandIn('9', {})).toBe(false);
    expect(isStandIn('7', { bind: rota([late]).bind })).toBe(false);
    expect(dutyOf(rota([early]), unknown, { ...fires, isStandIn: true })).toEqual({
      ...called,
      note: 'No channel is on call',
    });
  });

  it('has quiet hours of its own, which urgent alarms pass where its bind says so', () => {
    const quiet = { windows: [{ start: '06:00', end: '09:00' }], through: ['P0'] };
    const own = terms({}, { quiet });
    const waits = { do: 'wait', until: nightEnds, reason: 'QUIET_HOURS' };
    expect(dutyOf(own, unknown, fires)).toEqual(waits);
    expect(dutyOf(own, unknown, { ...fires, level: 'P0' })).toEqual(called);
    expect(dutyOf(own, told, over)).toEqual(waits);
  });
});

describe('a channel of a place that a person silences', () => {
  it('gets no message that waits for its next try, until the silence ends', () => {
    const until = now + MINUTE;
    const silent = { silencedUntil: until };
    const held = { do: 'wait', until, reason: 'SILENCED', drops: true };
    for (const status of ['PENDING', 'RETRY', 'FAILED'] as const) {
      const fired = { ...unknown, sending: sending('FIRED', status), repeatAt: now };
      expect(dutyOf(terms(), fired, { ...fires, ...silent })).toEqual(held);
      const ended = { ...told, sending: sending('RECOVERED', status), repeatAt: now };
      expect(dutyOf(terms(), ended, { ...over, ...silent })).toEqual(held);
    }
  });
});

describe('a channel of an alarm that is over', () => {
  it('is notified of the end, whatever the rate, and not within a window', () => {
    const recovered = { do: 'send', event: 'RECOVERED', isReminder: false };
    expect(dutyOf(terms(), told, { ...over, allowedAt: now + 1 })).toEqual(recovered);
    expect(dutyOf(terms(night), told, over)).toMatchObject({ do: 'wait', until: nightEnds });
  });

  it.each([{ recovery: { enabled: false } }, { recovery: { sendRecoveryMessage: false } }])(
    'is not where the policy has %j',
    (policy) => {
      expect(dutyOf(terms(policy), told, over)).toMatchObject({
        do: 'end',
        reason: 'NO_RECOVERY',
      });
    },
  );

  it('gets no end of what it never heard begin, and the message about the beginning is dropped', () => {
    for (const status of ['PENDING', 'RETRY', 'FAILED'] as const)
      expect(dutyOf(terms(), { ...unknown, sending: sending('FIRED', status) }, over)).toEqual({
        do: 'end',
        reason: 'NOT_NOTIFIED',
        drops: true,
      });
  });

  it('gets the end where its receiver may have the message, and did not answer', () => {
    const late = { ...unknown, mayKnow: true, sending: sending('FIRED', 'RETRY') };
    expect(dutyOf(terms(), late, over)).toMatchObject({ do: 'send', event: 'RECOVERED' });
  });

  it('waits for the end of a message that is being sent', () => {
    const given = { ...unknown, sending: sending('FIRED', 'SENT') };
    expect(dutyOf(terms(), given, over)).toEqual({ do: 'rest', reason: '' });
  });

  it('is tried for a day', () => {
    const failed = { ...told, sending: sending('RECOVERED', 'FAILED'), repeatAt: now };
    expect(dutyOf(terms(), failed, over)).toEqual({ do: 'repeat' });
    const late = { ...over, since: now - 86_400_001 };
    expect(dutyOf(terms(), failed, late)).toMatchObject({ do: 'end' });
  });
});

describe('the rate of a channel', () => {
  const three = { rateLimit: { intervalMs: 1_000, maxCount: 3 } };
  it.each<[string, Terms, object]>([
    ['its own', terms(three, { rateLimitOverrideMs: 5 }, 9), { ms: 5, count: 1 }],
    ['none', terms(three, { rateLimitOverrideMs: 0 }, 9), { ms: 0, count: 1 }],
    ['that of the policy', terms(three, {}, 9), { ms: 1_000, count: 3 }],
    ['the interval', terms({}, {}, 9), { ms: 9, count: 1 }],
  ])('is %s', (_name, given, rate) => {
    expect(rateOf(given)).toEqual(rate);
  });
});
