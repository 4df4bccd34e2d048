import { describe, expect, it } from 'vitest';

import { schedule } from '../../driver/sdk/schedule.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { TestClock } from '../support/world/clock.ts';

const log = createLog('silent');

describe('a schedule', () => {
  it('runs at the seconds that the specification writes as 0/30 * * * * ?', async () => {
    const clock = new TestClock(Date.parse('2026-01-05T08:00:10.500Z'));
    const runs: string[] = [];
    const job = async () => void runs.push(new Date(clock.now()).toISOString().slice(11, 23));
    const running = schedule('0/30 * * * * ?', { clock, log, job });
    await clock.advance(90_000);
    running.cancel();
    expect(runs).toEqual(['08:00:30.000', '08:01:00.000', '08:01:30.000']);
    expect(clock.pending).toBe(0);
  });

  it('counts days of the week as Quartz does: 2 is Monday', async () => {
    const clock = new TestClock(Date.parse('2026-01-06T00:00:00.000Z'));
    let ran = 0;
    const job = async () => void (ran = clock.now());
    const running = schedule('0 0 3 ? * 2', { clock, log, job });
    await clock.advance(7 * 86_400_000);
    running.cancel();
    expect(new Date(ran).toISOString()).toBe('2026-01-12T03:00:00.000Z');
  });

  it('leaves a time out while the job still runs', async () => {
    const clock = new TestClock();
    const { promise, resolve } = Promise.withResolvers<void>();
    let started = 0;
    const job = async () => {
      started += 1;
      if (started === 1) await promise;
    };
    const running = schedule('0/5 * * * * ?', { clock, log, job });
    await clock.advance(20_000);
    expect(started).toBe(1);
    resolve();
    await running.idle();
    await clock.advance(5_000);
    running.cancel();
    expect(started).toBe(2);
  });

  it('goes on after a job that failed', async () => {
    const clock = new TestClock();
    let started = 0;
    const job = async () => {
      started += 1;
      throw new Error('no');
    };
    const running = schedule('0/5 * * * * ?', { clock, log, job });
    await clock.advance(10_000);
    running.cancel();
    expect(started).toBe(2);
  });

  it('refuses what is no cron', () => {
    const clock = new TestClock();
    expect(() => schedule('every day', { clock, log, job: async () => {} })).toThrow('CronPattern');
  });
});
