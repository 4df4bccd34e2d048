import { describe, expect, it } from 'vitest';

import { createCenterTime } from '../../driver/sdk/center-time.ts';

describe('the time of the centers', () => {
  const HOUR_MS = 3_600_000;

  function learnt() {
    const clock = { ms: 0, elapsed: () => clock.ms };
    const time = createCenterTime(clock);
    time.learn(HOUR_MS);
    return { clock, time };
  }

  it('goes on by the own clock after the message with the shortest delay', () => {
    const { clock, time } = learnt();
    clock.ms = 5_000;
    time.learn(HOUR_MS);
    expect(time.since(HOUR_MS)).toBe(5_000);
    time.learn(HOUR_MS + 7_000);
    expect(time.since(HOUR_MS)).toBe(7_000);
  });

  it.each([Number.MAX_SAFE_INTEGER, HOUR_MS * 10, Number.NaN, Number.POSITIVE_INFINITY])(
    'is not what one message from %s says',
    (sentAt) => {
      const { clock, time } = learnt();
      clock.ms = 1_000;
      time.learn(sentAt);
      expect(time.since(HOUR_MS)).toBe(1_000);
    },
  );

  it('is not known before the first message, and behind it by its delay', () => {
    const clock = { ms: 0, elapsed: () => clock.ms };
    const time = createCenterTime(clock);
    expect(time.now()).toBeNull();
    clock.ms = 3_000;
    time.learn(HOUR_MS);
    clock.ms = 4_000;
    expect(time.now()).toBe(HOUR_MS + 1_000);
  });

  it('is not what the same message says again', () => {
    const { clock, time } = learnt();
    for (let ms = 0; ms < 20_000; ms += 400) {
      clock.ms = ms;
      time.learn(HOUR_MS * 10);
    }
    expect(time.since(HOUR_MS)).toBe(clock.ms);
  });

  it('leaps ahead once a later message agrees', () => {
    const { clock, time } = learnt();
    time.learn(HOUR_MS * 10);
    clock.ms = 400;
    time.learn(HOUR_MS * 10 + 400);
    expect(time.since(HOUR_MS)).toBe(400);
    clock.ms = 1_000;
    time.learn(HOUR_MS * 10 + 1_000);
    expect(time.since(HOUR_MS * 10)).toBe(1_000);
  });
});
