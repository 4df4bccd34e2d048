import { describe, expect, it } from 'vitest';

import { Buckets } from '../../src/auth/agent/call-rate.ts';
import { TestClock } from '../support/world/clock.ts';

describe('a bucket', () => {
  it('holds what a minute allows, and is filled evenly', async () => {
    const clock = new TestClock();
    const buckets = new Buckets(clock);
    for (let i = 0; i < 60; i += 1) {
      expect(buckets.waitMs('one', 60)).toBe(0);
      buckets.take('one', 60);
    }
    expect(buckets.waitMs('one', 60)).toBe(1_000);
    expect(buckets.waitMs('other', 60)).toBe(0);
    await clock.advance(400);
    expect(buckets.waitMs('one', 60)).toBe(600);
    await clock.advance(600);
    expect(buckets.waitMs('one', 60)).toBe(0);
    buckets.take('one', 60);
    expect(buckets.waitMs('one', 60)).toBe(1_000);
    await clock.advance(3_600_000);
    for (let i = 0; i < 60; i += 1) buckets.take('one', 60);
    expect(buckets.waitMs('one', 60)).toBe(1_000);
  });

  it('keeps the keys that were used last', () => {
    const buckets = new Buckets(new TestClock());
    buckets.take('first', 1);
    buckets.take('second', 1);
    for (let i = 0; i < 9_999; i += 1) buckets.take(`k${i}`, 1);
    expect(buckets.waitMs('first', 1)).toBe(0);
    expect(buckets.waitMs('second', 1)).toBe(60_000);
  });
});
