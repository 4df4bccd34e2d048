import { appendFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Batch } from '../../driver/sdk/spool/record.ts';
import { SpooledValues } from '../../driver/sdk/spool/sender.ts';
import { Spool } from '../../driver/sdk/spool/spool.ts';
import { type Bus, BusUnavailable } from '../../src/bus/bus.ts';
import { MemoryBus } from '../../src/bus/memory.ts';
import type { Payload } from '../../src/bus/topic/topics.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { TestClock } from '../support/world/clock.ts';

const log = createLog('silent');
const START = Date.UTC(2026, 0, 5);
const MAX_BYTES = 1024 ** 2;

/** Text that does not compress, so that a batch of 100 is about 25 KB on disk. */
const noise = (length: number): string =>
  Buffer.from(Array.from({ length }, () => Math.random() * 256)).toString('base64');

let seq = 0;
const batchOf = (tenantId: string, count = 100): Batch => ({
  tenantId,
  driverId: '9',
  driverCode: 'FieldDriver',
  node: 'n1',
  values: Array.from({ length: count }, () => {
    seq += 1;
    const value = noise(200);
    return {
      deviceId: '1',
      pointId: '2',
      rawValue: value,
      calValue: value,
      numValue: null,
      quality: 0 as const,
      originTime: START + seq,
      seq,
    };
  }),
});
const seqsOf = (batches: readonly Batch[]): number[] =>
  batches.flatMap(({ values }) => values.map((value) => value.seq));

describe('the spool of values', () => {
  let folder: string;
  let dropped: number;
  const open = (maxBytes = MAX_BYTES) =>
    Spool.open({ folder, maxBytes, log, dropped: (values) => (dropped += values) });
  /** All that waits of a tenant, in its order. */
  async function emptied(spool: Spool, tenantId: string): Promise<number[]> {
    const all: number[] = [];
    for (let next = await spool.take(tenantId); next; next = await spool.take(tenantId)) {
      all.push(...seqsOf(next.batches));
      await next.sent();
    }
    return all;
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'spool-'));
    dropped = 0;
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('gives values back in their order, also to a process that starts on it', async () => {
    const first = await open();
    const batches = [batchOf('1', 3), batchOf('1', 2), batchOf('2', 1)];
    for (const batch of batches) await first.add(batch);
    // Not closed: as a killed process leaves it.
    const second = await open();
    const later = batchOf('1', 1);
    await second.add(later);
    expect(second.waiting()).toEqual(['1', '2']);
    const [one, two, other] = batches.map((batch) => seqsOf([batch]));
    expect(await emptied(second, '1')).toEqual([
      ...(one ?? []),
      ...(two ?? []),
      ...seqsOf([later]),
    ]);
    expect(await emptied(second, '2')).toEqual(other);
    expect([second.waiting(), second.bytes]).toEqual([[], 0]);
    await first.close();
  });

  it('ignores a last record that was not written whole, and what is added later is read', async () => {
    const first = await open();
    const [kept, later] = [batchOf('1', 3), batchOf('1', 1)];
    await first.add(kept);
    await first.close();
    const [name = ''] = await readdir(join(folder, '1'));
    await appendFile(join(folder, '1', name), Buffer.from([0, 0, 9, 0, 1, 2, 3, 4, 5]));
    const second = await open();
    await second.add(later);
    expect(await emptied(second, '1')).toEqual([...seqsOf([kept]), ...seqsOf([later])]);
    await second.close();
  });

  it('holds at most its bound of bytes, and drops the oldest of the tenant that has the most', async () => {
    const spool = await open();
    const loud: Batch[] = [];
    const quiet: Batch[] = [];
    for (let n = 0; n < 80; n++) {
      const next = batchOf('1');
      loud.push(next);
      await spool.add(next);
      if (n % 20 > 0) continue;
      const other = batchOf('2', 10);
      quiet.push(other);
      await spool.add(other);
    }
    expect(spool.bytes).toBeLessThanOrEqual(MAX_BYTES);
    const files = await Promise.all(
      ['1', '2'].map(async (id) =>
        Promise.all(
          (await readdir(join(folder, id)))
            .filter((name) => name.endsWith('.values'))
            .map(async (name) => (await stat(join(folder, id, name))).size),
        ),
      ),
    );
    expect(files.flat().reduce((sum, size) => sum + size, 0)).toBe(spool.bytes);
    expect(await emptied(spool, '2')).toEqual(seqsOf(quiet));
    const left = await emptied(spool, '1');
    const all = seqsOf(loud);
    expect(left.length).toBeGreaterThan(1_000);
    expect(left).toEqual(all.slice(-left.length));
    expect(dropped).toBe(all.length - left.length);
    await spool.close();
  });

  it('drops nothing that is being sent', async () => {
    const spool = await open();
    for (let n = 0; n < 30; n++) await spool.add(batchOf('1'));
    const sending = await spool.take('1');
    for (let n = 0; n < 60; n++) await spool.add(batchOf('1'));
    const ofIt = seqsOf(sending?.batches ?? []);
    const gaps = spool.takeGaps('1').marks('1');
    const [mark] = gaps.flatMap(({ values }) => values);
    expect(dropped).toBeGreaterThan(0);
    expect(mark?.seq).toBe((ofIt.at(-1) ?? 0) + 1);
    await sending?.sent();
    await spool.close();
  });

  it('knows over a restart what it dropped: one mark for each point, at its first dropped value', async () => {
    const first = await open();
    const batches: Batch[] = [];
    for (let n = 0; n < 80; n++) {
      const next = batchOf('1');
      batches.push(next);
      await first.add(next);
    }
    const second = await open();
    const marks = second.takeGaps('1').marks('1');
    const [first0] = batches[0]?.values ?? [];
    expect(marks).toMatchObject([
      {
        tenantId: '1',
        driverId: '9',
        values: [
          {
            deviceId: '1',
            pointId: '2',
            quality: 2,
            rawValue: '',
            originTime: first0?.originTime,
            seq: first0?.seq,
            dropped,
          },
        ],
      },
    ]);
    expect(dropped).toBeGreaterThan(0);
    await second.gapsReported('1');
    expect((await open()).takeGaps('1').isEmpty).toBe(true);
    await first.close();
  });
});

describe('values by the spool', () => {
  let folder: string;
  let clock: TestClock;
  let bus: Bus;
  let isUp: boolean;
  let isAnswering: boolean;
  let taken: Batch[];
  let alarms: Payload<'svc.e.alarm'>[];
  let spool: Spool;
  let values: SpooledValues;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'spool-'));
    clock = new TestClock();
    bus = new MemoryBus({ clock, log });
    [isUp, isAnswering, taken, alarms] = [true, true, [], []];
    await bus.subscribe('svc.e.value', { queue: 'v', key: '#' }, async (batch) => {
      taken.push(batch);
    });
    await bus.subscribe('svc.e.alarm', { queue: 'a', key: '#' }, async (alarm) => {
      alarms.push(alarm);
    });
    const away: typeof bus.publish = async (...given) => {
      if (!isUp) throw new BusUnavailable('away');
      if (!isAnswering) return new Promise(() => {});
      return bus.publish(...given);
    };
    const neighbour = { ...bus, publish: away, isUp: () => isUp };
    spool = await Spool.open({ folder, maxBytes: MAX_BYTES, log, dropped: () => {} });
    values = new SpooledValues({ spool, bus: neighbour, clock, log, node: 'n1' });
  });
  afterEach(async () => {
    await values.stop();
    await bus.close();
    await rm(folder, { recursive: true });
  });

  /** Until nothing is left to send, or nothing more goes. */
  async function passed(ms: number): Promise<void> {
    for (let at = 0; at < ms; at += 100) {
      await clock.advance(100);
      await new Promise((resolve) => void setTimeout(resolve, 2));
    }
  }

  it('leaves the disk alone while the bus takes them', async () => {
    await values.send(batchOf('1', 2));
    expect([taken.length, spool.bytes, await readdir(folder)]).toEqual([1, 0, []]);
  });

  it('stores them while the bus is away and sends them in order when it is back', async () => {
    isUp = false;
    const stored = [batchOf('1', 2), batchOf('1', 3)];
    for (const batch of stored) await values.send(batch);
    await passed(3_000);
    expect(taken).toEqual([]);
    isUp = true;
    const live = batchOf('1', 1);
    await values.send(live);
    expect(seqsOf(taken)).toEqual(seqsOf([live]));
    await passed(3_000);
    expect(seqsOf(taken)).toEqual(seqsOf([live, ...stored]));
    expect(spool.waiting()).toEqual([]);
  });

  it('waits two seconds for a bus that does not answer, once', async () => {
    isAnswering = false;
    const first = values.send(batchOf('1', 1));
    await clock.advance(2_000);
    await first;
    const before = clock.now();
    for (let n = 0; n < 10; n++) await values.send(batchOf('1', 1));
    expect(clock.now()).toBe(before);
    isAnswering = true;
    await passed(5_000);
    expect(seqsOf(taken)).toHaveLength(11);
    await values.send(batchOf('1', 1));
    expect(seqsOf(taken)).toHaveLength(12);
  });

  it('sends 5,000 a second from disk at most', async () => {
    isUp = false;
    for (let n = 0; n < 20; n++) await values.send(batchOf('1', 100));
    isUp = true;
    await clock.advance(1_000);
    const from = clock.now();
    while (seqsOf(taken).length < 2_000) await passed(10);
    expect(clock.now() - from).toBeGreaterThanOrEqual(380);
  });

  it('marks the gap of what it dropped, with an alarm about the driver', async () => {
    isUp = false;
    const all: Batch[] = [];
    for (let n = 0; n < 80; n++) {
      const next = batchOf('1');
      all.push(next);
      await values.send(next);
    }
    isUp = true;
    while (spool.waiting().length > 0) await passed(1_000);
    const [mark, ...rest] = taken.flatMap((batch) => batch.values);
    const lost = seqsOf(all).slice(0, -rest.length);
    expect(mark).toMatchObject({ quality: 2, seq: lost[0], dropped: lost.length });
    expect(rest.map((value) => value.seq)).toEqual(seqsOf(all).slice(lost.length));
    const message = expect.stringMatching(`^${lost.length} values of 1 points, measured from 20`);
    expect(alarms).toMatchObject([{ tenantId: '1', target: 'DRIVER', entityId: '9', message }]);
  });
});
