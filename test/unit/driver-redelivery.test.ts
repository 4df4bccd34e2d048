import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Driver } from '../../driver/sdk/driver.ts';
import { startDriver } from '../../driver/sdk/host/host.ts';
import type { Bus, Delivery } from '../../src/bus/bus.ts';
import type { Payload } from '../../src/bus/topic/topics.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import {
  checkedAs,
  type DriverCenter,
  driverDevice,
  openDriverCenter,
} from '../support/devices/driver-center.ts';
import { TestClock } from '../support/world/clock.ts';
import { NO_READS } from '../support/world/environment.ts';
import { until } from '../support/world/until.ts';

type Command = Payload<'svc.e.point_command'>;
type Handler = (command: Command, delivery: Delivery) => Promise<void>;

const log = createLog('silent');
const device = driverDevice({}, [{ id: '1', code: 'a', rw: 'READ_WRITE' }]);

describe('a command on the bus', () => {
  let dataDir: string;
  let clock: TestClock;
  let center: DriverCenter;
  /** What the one device was asked for, by any copy of the driver. */
  let asked: string[];
  const started: (() => Promise<void>)[] = [];

  const driver = (): Driver => ({
    code: 'FieldDriver',
    name: 'Field Driver',
    type: 'DRIVER_CLIENT',
    driverAttributes: [],
    pointAttributes: [],
    readCron: NO_READS,
    start: async () => {},
    status: () => ({ status: 'ONLINE', description: '' }),
    read: async () => {
      asked.push('read');
      return { rawValue: '5', originTime: 1 };
    },
    write: async (_device, _point, raw) => void asked.push(`write ${raw}`),
    stop: async () => {},
  });

  /** A copy of the driver with a folder of its own; what it subscribed to is handed out by the test. */
  async function copy(node: string, its: Clock = clock, folder = join(dataDir, node)) {
    const handlers: Handler[] = [];
    const bus: Bus = {
      ...center.bus,
      // oxlint-disable-next-line typescript/no-explicit-any -- one handler of many, by its topic
      subscribe: async (topic: any, options: any, handle: any) => {
        if (topic !== 'svc.e.point_command') return center.bus.subscribe(topic, options, handle);
        handlers.push(handle);
        return { cancel: async () => {} };
      },
    };
    const running = await startDriver(driver(), { bus, clock: its, log, node, dataDir: folder });
    started.push(() => running.stop());
    await until(() => expect(running.registered()).toBe(true));
    return {
      async deliver(command: Command, attempt: number) {
        await handlers[0]?.(command, { messageId: command.commandId, attempt, ack: () => {} });
      },
    };
  }

  const command = (overrides: Partial<Command> = {}): Command => {
    const made: Command = {
      schemaVersion: 1,
      commandId: crypto.randomUUID(),
      tenantId: '1',
      deviceId: '1',
      pointId: '1',
      type: 'WRITE',
      value: '7',
      occurredAt: clock.now(),
      expireAt: clock.now() + 10_000,
      remainingMs: 10_000,
      ...overrides,
    };
    return { ...made, ...checkedAs('FieldDriver', device, made) };
  };
  const statuses = () => center.results.map(({ status, errorCode }) => [status, errorCode]);

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'redelivery-'));
    clock = new TestClock();
    asked = [];
    center = await openDriverCenter(clock, 'FieldDriver', [device]);
  });
  afterEach(async () => {
    for (const stop of started.splice(0)) await stop();
    await center.bus.close();
    await rm(dataDir, { recursive: true });
  });

  describe('that is handed out again', () => {
    it('to a copy without a record of it is not written twice, and the true result comes first', async () => {
      const a = await copy('a');
      const b = await copy('b');
      const write = command();
      await b.deliver(write, 2);
      await a.deliver(write, 1);
      await center.result(write.commandId);
      await clock.advance(10_000);
      await until(() =>
        expect(statuses()).toEqual([
          ['SUCCESS', ''],
          ['UNKNOWN', 'REDELIVERED'],
        ]),
      );
      expect(asked).toEqual(['write 7', 'read']);
    });

    it('to a copy that lost its folder ends UNKNOWN when its time is over', async () => {
      const fresh = await copy('a');
      const write = command();
      await fresh.deliver(write, 2);
      await clock.advance(9_000);
      expect(statuses()).toEqual([]);
      await clock.advance(1_000);
      await until(() => expect(statuses()).toEqual([['UNKNOWN', 'REDELIVERED']]));
      expect(asked).toEqual([]);
    });

    it('as a read is answered: reading twice harms nobody', async () => {
      const fresh = await copy('a');
      const read = command({ type: 'READ', value: null });
      await fresh.deliver(read, 2);
      expect(await center.result(read.commandId)).toMatchObject({ status: 'SUCCESS' });
    });

    it('after its result was told says nothing that could overtake it', async () => {
      const a = await copy('a');
      const write = command();
      await a.deliver(write, 1);
      await center.result(write.commandId);
      await clock.advance(1_000);
      await a.deliver(write, 2);
      await clock.advance(20_000);
      expect(statuses()).toEqual([['SUCCESS', '']]);
      expect(asked).toEqual(['write 7', 'read']);
    });

    it('after it was interrupted by a crash ends UNKNOWN, never DUPLICATE', async () => {
      const write = command();
      const folder = join(dataDir, 'crashed');
      const crashed = await copy('a', clock, folder);
      await crashed.deliver(write, 1);
      await center.result(write.commandId);
      for (const stop of started.splice(0)) await stop();
      // As the crash left it: started, nothing said.
      const line = { started: write.commandId, tenantId: '1', at: clock.now() };
      await writeFile(join(folder, 'commands-FieldDriver-a.log'), `${JSON.stringify(line)}\n`);
      center.results.length = 0;
      const restarted = await copy('a', clock, folder);
      await restarted.deliver(write, 2);
      await until(() => expect(center.results.length).toBeGreaterThan(0));
      await clock.advance(20_000);
      expect(new Set(statuses().flat())).toEqual(new Set(['UNKNOWN', 'DRIVER_RESTARTED']));
      expect(asked).toEqual(['write 7', 'read']);
    });
  });

  describe('on a host with a wall clock that is', () => {
    const wall = (shownMs: () => number): Clock => ({
      now: () => clock.now() + shownMs(),
      elapsed: () => clock.elapsed(),
      after: (ms, run) => clock.after(ms, run),
      every: (ms, run) => clock.every(ms, run),
    });

    it('60 s behind is not executed after its time', async () => {
      const behind = await copy(
        'a',
        wall(() => -60_000),
      );
      await behind.deliver(command(), 1);
      await until(() => expect(center.results).toHaveLength(1));
      const late = command();
      await clock.advance(10_001);
      // It waited in the queue: what comes after it tells what time it is.
      await behind.deliver(command({ type: 'READ', value: null }), 1);
      await behind.deliver(late, 1);
      expect(await center.result(late.commandId)).toMatchObject({ status: 'EXPIRED' });
      expect(asked.filter((what) => what.startsWith('write'))).toEqual(['write 7']);
    });

    it.each([11_000, 3_600_000, -3_600_000])('%d ms off is executed in its time', async (off) => {
      const set = await copy(
        'a',
        wall(() => off),
      );
      const write = command();
      await set.deliver(write, 1);
      expect(await center.result(write.commandId)).toMatchObject({ status: 'SUCCESS' });
    });

    it('set back while it waits for its device is not executed after its time', async () => {
      let shown = 0;
      const jumping = await copy(
        'a',
        wall(() => shown),
      );
      await jumping.deliver(command(), 1);
      await until(() => expect(center.results).toHaveLength(1));
      shown = -60_000;
      const write = command();
      await clock.advance(10_000);
      await jumping.deliver(write, 1);
      expect(await center.result(write.commandId)).toMatchObject({ status: 'EXPIRED' });
    });
  });
});
