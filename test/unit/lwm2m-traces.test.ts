import { describe, expect, it } from 'vitest';

import { type StoredExchange, storedOf, Traces } from '../../driver/lwm2m/trace/traces.ts';
import { systemClock } from '../../src/kernel/clock.ts';

const MiB = 1024 * 1024;

const exchange = (at: number, bytes: number): StoredExchange => ({
  at,
  ms: 1,
  from: 'PLATFORM',
  method: 'GET',
  path: ['3', '0'],
  query: [],
  accept: null,
  observe: null,
  request: null,
  code: 69,
  answer: storedOf(Buffer.alloc(bytes), 11_542, ['3', '0']),
  failure: '',
  sent: 1,
  repeated: 0,
  times: 1,
  peer: { address: '192.0.2.1', port: 5683 },
});

describe('the exchanges that are stored', () => {
  it('are shared evenly, within the bytes of all', () => {
    const traces = new Traces(systemClock);
    const names = Array.from({ length: 2_000 }, (_, n) => `d${n}`);
    for (const kind of ['change', 'read', 'report'] as const)
      for (const name of names)
        for (let n = 0; n < 8; n += 1) traces.add(name, kind, exchange(n, 1024));
    const stored = traces.of('d1').exchanges.length;
    expect(stored).toBeGreaterThan(8);
    for (let n = 0; n < 1_000; n += 1) traces.add('d0', 'read', exchange(n, 1024));
    expect(traces.of('d1').exchanges).toHaveLength(stored);
    expect(traces.of('d0').exchanges.length).toBeLessThanOrEqual(stored);
    const bytesOf = (name: string): number =>
      traces.of(name).exchanges.reduce((sum, { answer }) => sum + 400 + (answer?.bytes ?? 0), 0);
    expect(names.reduce((sum, name) => sum + bytesOf(name), 0)).toBeLessThanOrEqual(32 * MiB);
  });

  it('have no payload of more than a kilobyte, or of an object with keys', () => {
    expect(storedOf(Buffer.alloc(2_000), 0, ['3', '0'])).toMatchObject({
      bytes: 2_000,
      content: null,
    });
    expect(storedOf(Buffer.from('key'), 0, ['0', '0', '5'])).toMatchObject({
      bytes: 3,
      content: null,
    });
    expect(storedOf(Buffer.alloc(0), 0, ['3'])).toBeNull();
  });
});
