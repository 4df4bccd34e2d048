import { describe, expect, it } from 'vitest';

import { Throttle } from '../../src/auth/login/throttle.ts';
import { TestClock } from '../support/clock.ts';

const SECOND_MS = 1_000;

function setUp() {
  const clock = new TestClock();
  const throttle = new Throttle(clock);
  /** 'ok', 'failed', or the seconds to wait. */
  const attempt = (key: string, succeeds: boolean): Promise<unknown> =>
    throttle
      .attempt(key, () => Promise.resolve(succeeds ? true : undefined))
      .then(
        (result) => (result ? 'ok' : 'failed'),
        (error: { detail: { retryAfterSeconds: number } }) => error.detail.retryAfterSeconds,
      );
  return { clock, attempt };
}

describe('the login throttle', () => {
  it('lets five failures a minute through and then makes the name wait, longer each time', async () => {
    const { clock, attempt } = setUp();
    for (let i = 0; i < 5; i += 1) expect(await attempt('a', false)).toBe('failed');
    expect(await attempt('a', true)).toBe(60);
    expect(await attempt('b', true)).toBe('ok');
    for (const next of [120, 240, 300, 300]) {
      await clock.advance(300 * SECOND_MS);
      expect(await attempt('a', false)).toBe('failed');
      expect(await attempt('a', false)).toBe(next);
    }
    await clock.advance(300 * SECOND_MS);
    expect(await attempt('a', true)).toBe('ok');
    expect(await attempt('a', false)).toBe('failed');
    expect(await attempt('a', true)).toBe('ok');
  });

  it('does not add up failures that are more than a minute apart', async () => {
    const { clock, attempt } = setUp();
    for (let i = 0; i < 20; i += 1) {
      expect(await attempt('a', false)).toBe('failed');
      await clock.advance(15 * SECOND_MS);
    }
  });

  it('cannot be outrun by a burst', async () => {
    const { attempt } = setUp();
    const burst = await Promise.all(Array.from({ length: 50 }, () => attempt('a', false)));
    expect(burst.filter((outcome) => outcome === 'failed')).toHaveLength(5);
  });

  it('limits failures over all names, and forgets them after a minute', async () => {
    const { clock, attempt } = setUp();
    for (let i = 0; i < 200; i += 1) expect(await attempt(`name-${i}`, false)).toBe('failed');
    expect(await attempt('fresh', true)).toBe(60);
    await clock.advance(60 * SECOND_MS);
    expect(await attempt('fresh', true)).toBe('ok');
  });

  it('goes on after an attempt that broke', async () => {
    const clock = new TestClock();
    const throttle = new Throttle(clock);
    const broken = throttle.attempt('a', () => Promise.reject(new Error('database')));
    await expect(broken).rejects.toThrow('database');
    expect(await throttle.attempt('a', () => Promise.resolve(1))).toBe(1);
  });
});
