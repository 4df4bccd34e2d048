import { beforeEach, describe, expect, it } from 'vitest';

import { wantedOf } from '../../driver/lwm2m/observation/observed-point.ts';
import { createTurns, type Turns } from '../../driver/sdk/turns.ts';
import { driverDevice } from '../support/devices/driver-center.ts';

let begun: string[];
let ends: Map<string, () => void>;
let turns: Turns;

beforeEach(() => {
  begun = [];
  ends = new Map();
  turns = createTurns(2, async (id, isHeard) => {
    begun.push(isHeard ? `${id}!` : id);
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.set(id, resolve);
    await promise;
  });
});

async function end(id: string): Promise<void> {
  ends.get(id)?.();
  await new Promise(setImmediate);
}

describe('the looks at devices', () => {
  it('are so many at a time, each as soon as another has ended', async () => {
    turns.next(['a', 'b', 'c', 'd']);
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    await end('c');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('go first to a device that was just heard', async () => {
    turns.next(['a', 'b', 'c']);
    turns.heard('d');
    await end('a');
    await end('b');
    expect(begun).toEqual(['a', 'b', 'd!', 'c']);
  });

  it('come once more to a device that was heard during its own', async () => {
    turns.next(['a']);
    turns.heard('a');
    turns.heard('a');
    expect(begun).toEqual(['a']);
    await end('a');
    await end('a');
    expect(begun).toEqual(['a', 'a!']);
  });

  it('leave out a device whose look is under way, and what waited before', async () => {
    turns.next(['a', 'b', 'c']);
    turns.next(['a', 'd']);
    await end('b');
    await end('d');
    expect(begun).toEqual(['a', 'b', 'd']);
  });

  it('end when they are stopped', async () => {
    turns.next(['a', 'b', 'c']);
    turns.stop();
    turns.heard('d');
    await end('a');
    expect(begun).toEqual(['a', 'b']);
  });
});

describe('the observed points of a device', () => {
  const points = (observe: string) =>
    Array.from({ length: 501 }, (_, index) => ({
      id: String(index),
      code: `p${index}`,
      configs: { observe },
    }));

  it('are 500 at most', () => {
    expect(wantedOf(driverDevice({}, points('true'))).length).toBe(500);
  });

  it.each(['false', '', 'yes'])('are none where observe is %j', (observe) => {
    expect(wantedOf(driverDevice({}, points(observe)))).toEqual([]);
  });

  it('are none of a disabled device, nor such as are only written', () => {
    const device = driverDevice({}, points('true'));
    expect(wantedOf({ ...device, enabled: false })).toEqual([]);
    const written = device.points.map((point) => ({ ...point, rw: 'WRITE_ONLY' as const }));
    expect(wantedOf({ ...device, points: written })).toEqual([]);
  });
});
