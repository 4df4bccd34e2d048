import { describe, expect, it } from 'vitest';

import { commandLifeMsOf, createQueueMode } from '../../driver/lwm2m/presence/queue-mode.ts';
import type { Registration } from '../../driver/lwm2m/registration/registration.ts';
import { TestClock } from '../support/world/clock.ts';

const registration = (heardAt: number, queueMode = true): Registration => ({
  id: 'a',
  endpoint: 'urn:dev:1',
  deviceId: '1',
  peer: { address: '127.0.0.1', port: 1 },
  version: '1.1',
  queueMode,
  lifetimeS: 3600,
  expiresAt: heardAt + 3_600_000,
  heardAt,
  contentFormats: [],
  root: [],
  objects: [],
  leftOut: 0,
  objectsAt: 0,
});

describe('a device in queue mode', () => {
  const opened = (configs: Record<string, string> = {}) => {
    const clock = new TestClock();
    const woken: string[] = [];
    const wakefulness = createQueueMode(clock, (id) => woken.push(id));
    const own = registration(clock.now());
    const isAwake = () => wakefulness.isAwake({ configs }, own);
    return { clock, woken, wakefulness, own, isAwake };
  };

  it.each([
    [{ awakeTime: '5' }, 5_000],
    [{}, 93_000],
    [{ awakeTime: 'long' }, 93_000],
    [{ awakeTime: '0' }, 93_000],
  ])(
    'is awake for awakeTime after it spoke, and for 93 s where that says nothing: %j',
    async (configs, ms) => {
      const { clock, wakefulness, own, isAwake } = opened(configs);
      await clock.advance(1_000_000);
      expect(isAwake()).toBe(false);
      wakefulness.spoke(own);
      await clock.advance(ms - 1);
      expect(isAwake()).toBe(true);
      await clock.advance(1);
      expect(isAwake()).toBe(false);
    },
  );

  it('goes on listening after each of its answers, and sleeps once it leaves one out', async () => {
    const { clock, wakefulness, own, isAwake } = opened({ awakeTime: '5' });
    wakefulness.spoke(own);
    await clock.advance(4_000);
    wakefulness.answered(own);
    await clock.advance(4_000);
    expect(isAwake()).toBe(true);
    wakefulness.silent(own);
    expect(isAwake()).toBe(false);
    wakefulness.spoke(own);
    expect(isAwake()).toBe(true);
  });

  it('is sent what waits after the answer to what it sent, once for several', async () => {
    const { clock, woken, wakefulness, own } = opened();
    wakefulness.spoke(own);
    wakefulness.spoke(own);
    expect(woken).toEqual([]);
    await clock.advance(100);
    expect(woken).toEqual(['1']);
  });

  it('that listens all the time wakes nothing, unless it was in queue mode before', async () => {
    const { clock, woken, wakefulness, own } = opened();
    const open = registration(own.heardAt, false);
    wakefulness.spoke(open);
    await clock.advance(100);
    expect(woken).toEqual([]);
    wakefulness.spoke(own);
    wakefulness.spoke(open);
    await clock.advance(100);
    expect(woken).toEqual(['1']);
  });
});

describe('a command to a device in queue mode', () => {
  it.each([
    ['as long as commandLife says', { commandLife: '120' }, 3600, 120_000],
    ['until the device has to report', {}, 3600, 3_600_000],
    ['until the device has to report', { commandLife: '0' }, 300, 300_000],
    ['a day at most', {}, 1_000_000, 86_400_000],
    ['a day where the lifetime has no end', {}, 0, 86_400_000],
    ['ten seconds at least', { commandLife: '1' }, 3600, 10_000],
  ])('waits %s', (_how, configs, lifetimeS, ms) => {
    expect(commandLifeMsOf({ configs }, { lifetimeS })).toBe(ms);
  });
});
