import { describe, expect, it } from 'vitest';

import { TURN_SLOTS } from '../../src/agentic/chat/slots.ts';
import { TestClock } from '../support/world/clock.ts';

const AT_ONCE = 6;

function opened(starts: number) {
  const clock = new TestClock();
  const places = TURN_SLOTS({ clock, engine: 'postgres' });
  const begun: number[] = [];
  const done: string[] = [];
  const finish: (() => void)[] = [];
  for (let number = 0; number < starts; number += 1)
    void places.start(async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      begun.push(number);
      finish.push(resolve);
      await promise;
      done.push('start');
    });
  return { clock, places, begun, done, finish };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('many turns at once', () => {
  it('begin six at a time, in their order', async () => {
    const { begun, finish } = opened(AT_ONCE + 2);
    await settled();
    expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
    finish[3]?.();
    await settled();
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('end at once where no turn waits for its start', async () => {
    const { places } = opened(AT_ONCE);
    await expect(places.end(async () => 'kept')).resolves.toBe('kept');
  });

  it('end after the turns that wait for their start', async () => {
    const { places, done, finish } = opened(AT_ONCE + 1);
    const end = places.end(async () => done.push('end'));
    await settled();
    expect(done).toEqual([]);
    finish[0]?.();
    await end;
    expect(done).toEqual(['start', 'end']);
  });

  it('end after a tenth of a second in any case, also of a turn that fails', async () => {
    const { clock, places, done } = opened(AT_ONCE + 1);
    const end = places.end(async () => done.push('end'));
    const failed = places.end(async () => {
      throw new Error('not stored');
    });
    failed.catch(() => {});
    await clock.advance(99);
    await settled();
    expect(done).toEqual([]);
    await clock.advance(1);
    await end;
    expect(done).toEqual(['end']);
    await expect(failed).rejects.toThrow('not stored');
  });
});
