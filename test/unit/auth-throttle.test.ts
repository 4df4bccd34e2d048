import { describe, expect, it } from 'vitest';

import { KnownSources, Throttle } from '../../src/auth/login/throttle.ts';
import { Window } from '../../src/auth/login/window.ts';
import { TestClock } from '../support/world/clock.ts';

const SECOND_MS = 1_000;
const HERE = '192.0.2.1';
const THERE = '192.0.2.2';

function setUp() {
  const clock = new TestClock();
  const throttle = new Throttle(clock);
  /** 'ok', 'failed', or the seconds to wait. */
  const attempt = (name: string, succeeds: boolean, source = HERE): Promise<unknown> =>
    throttle
      .attempt({ name, source }, () => Promise.resolve(succeeds ? true : undefined))
      .then(
        (result) => (result ? 'ok' : 'failed'),
        (error: { detail: { retryAfterSeconds: number } }) => error.detail.retryAfterSeconds,
      );
  return { clock, throttle, attempt };
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

  it('cannot be outrun by a burst, for one name or for many', async () => {
    const { attempt } = setUp();
    const burst = await Promise.all(Array.from({ length: 50 }, () => attempt('a', false)));
    expect(burst.filter((outcome) => outcome === 'failed')).toHaveLength(5);
    const names = Array.from({ length: 500 }, (_, i) => attempt(`name-${i}`, false, THERE));
    expect((await Promise.all(names)).filter((outcome) => outcome === 'failed')).toHaveLength(60);
  });

  it('never locks a name for another source', async () => {
    const { attempt } = setUp();
    for (let i = 0; i < 100; i += 1) await attempt('a', false);
    expect(await attempt('a', true)).toBe(60);
    expect(await attempt('a', true, THERE)).toBe('ok');
  });

  it('limits the failures of a source over all names, of no other source, for a minute', async () => {
    const { clock, attempt } = setUp();
    for (let i = 0; i < 60; i += 1) expect(await attempt(`name-${i}`, false)).toBe('failed');
    expect(await attempt('fresh', true)).toBe(60);
    expect(await attempt('fresh', true, THERE)).toBe('ok');
    await clock.advance(60 * SECOND_MS);
    expect(await attempt('fresh', true)).toBe('ok');
  });

  it('never refuses a name that succeeded from there because of other names', async () => {
    const { attempt } = setUp();
    expect(await attempt('a', true)).toBe('ok');
    for (let i = 0; i < 1_000; i += 1) await attempt(`name-${i}`, false);
    expect(await attempt('b', true)).toBe(60);
    expect(await attempt('a', true)).toBe('ok');
    // Its own failures do make it wait.
    for (let i = 0; i < 5; i += 1) expect(await attempt('a', false)).toBe('failed');
    expect(await attempt('a', true)).toBe(60);
  });

  it('goes on after an attempt that broke', async () => {
    const { throttle } = setUp();
    const who = { name: 'a', source: HERE };
    for (let i = 0; i < 100; i += 1) {
      const broken = throttle.attempt(who, () => Promise.reject(new Error('database')));
      await expect(broken).rejects.toThrow('database');
    }
    expect(await throttle.attempt(who, () => Promise.resolve(1))).toBe(1);
  });
});

describe('what the throttle remembers', () => {
  it('of sources that did something is bounded: the ones that did it last', () => {
    const window = new Window(new TestClock(), 1);
    for (let i = 0; i < 30_000; i += 1) window.add(`source-${i}`);
    expect([window.waitMs('source-0'), window.waitMs('source-29999')]).toEqual([0, 60_000]);
  });

  it('of successes is the last 16 sources of a name, so that no name takes the place of others', () => {
    const familiar = new KnownSources();
    familiar.add('somebody', HERE);
    for (let i = 0; i < 50_000; i += 1) familiar.add('traveller', `source-${i}`);
    expect(familiar.has('somebody', HERE)).toBe(true);
    const kept = (i: number): boolean => familiar.has('traveller', `source-${i}`);
    expect([kept(0), kept(49_983), kept(49_984), kept(49_999)]).toEqual([false, false, true, true]);
  });

  it('of names is bounded: those that succeeded last', () => {
    const familiar = new KnownSources();
    for (let i = 0; i < 20_000; i += 1) familiar.add(`name-${i}`, HERE);
    expect([familiar.has('name-0', HERE), familiar.has('name-19999', HERE)]).toEqual([false, true]);
  });
});
