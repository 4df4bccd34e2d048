import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Bus } from '../../src/bus/bus.ts';
import { openRabbitmqBus } from '../../src/bus/rabbitmq/bus.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import {
  type DriverCenter,
  driverDevice,
  openDriverCenter,
} from '../support/devices/driver-center.ts';
import { startRabbitmqNode } from '../support/neighbours/rabbitmq-node.ts';
import { freshPrefix } from '../support/neighbours/rabbitmq.ts';
import { DELIVERED, READ, REPORTED, SPOOLING } from '../support/runs/spool/driver.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';
import { type Process, startProcess } from '../support/world/process.ts';

const device = driverDevice(
  {},
  [READ, REPORTED, DELIVERED].map((id) => ({ id, code: `p${id}`, type: 'LONG' })),
);
/** What is read in this time is not on disk yet when a process is killed. */
const UNSAVED_MS = 1_500;

/** A broker of this test's own, which it may kill. */
describe('a broker that is away', () => {
  const node = started(startRabbitmqNode);
  let prefix: string;
  let folder: string;
  let bus: Bus;
  let center: DriverCenter;
  let drivers: Process[];

  beforeEach(async () => {
    [prefix, drivers] = [freshPrefix(), []];
    folder = await mkdtemp(join(tmpdir(), 'spool-'));
    const settings = { prefix, clock: systemClock, log: createLog('silent') };
    bus = await openRabbitmqBus({ url: node.url, ...settings });
    center = await openDriverCenter(systemClock, SPOOLING, [device], Promise.resolve(), bus);
  });
  afterEach(async () => {
    for (const driver of drivers) await driver.kill();
    await bus.close();
    await rm(folder, { recursive: true });
  });

  function start(): Process {
    const words = ['test/support/runs/spool/driver.ts', node.url, prefix, folder];
    const driver = startProcess(words);
    drivers.push(driver);
    return driver;
  }
  const givenBy = ({ output }: Process, pointId: string): number[] =>
    output
      .map((line) => line.split(' '))
      .filter(([word, point]) => word === 'value' && point === pointId)
      .map(([, , text]) => Number(text));
  const arrived = (pointId: string): number[] =>
    center.values.filter((value) => value.pointId === pointId).map((value) => value.originTime);
  const points = [READ, REPORTED, DELIVERED] as const;
  const each = (driver: Process, count: number, from = 0) =>
    eventually(
      async () => points.map((id) => givenBy(driver, id).filter((at) => at > from).length),
      (counts) => counts.every((many) => many >= count),
    );
  /** The values that did not arrive, once that are none. */
  const none = (given: () => { id: string; at: number }[]) =>
    eventually(
      async () => given().filter(({ id, at }) => !arrived(id).includes(at)),
      (missing) => missing.length === 0,
      30_000,
    );
  const allOf = (driver: Process, until = Infinity) =>
    points.flatMap((id) =>
      givenBy(driver, id)
        .filter((at) => at < until)
        .map((at) => ({ id, at })),
    );
  const queues = (what: 'stop' | 'restart') =>
    node.ctl(
      'eval',
      `[ra:${what}_server(quorum_queues, amqqueue:get_pid(Q)) || Q <- rabbit_amqqueue:list(), amqqueue:is_quorum(Q)].`,
    );

  it('leaves no value unread, neither of those that are read nor of those that devices send', async () => {
    const driver = start();
    await each(driver, 2);
    await node.kill();
    const from = Date.now();
    await each(driver, 6, from);
    const before = arrived(READ).length;
    await node.start();
    const until = Date.now();
    await each(driver, 2, until);
    const read = allOf(driver);
    await none(() => read);
    expect(arrived(READ).length).toBeGreaterThanOrEqual(before + 6);
    // In their order, and with the times at which they were measured.
    for (const id of points) {
      const stored = arrived(id).filter((at) => at > from + 3_000 && at < until);
      const once = [...new Set(stored)];
      expect(once).toEqual(once.toSorted((one, other) => one - other));
      expect(once.length).toBeGreaterThanOrEqual(2);
    }
  });

  it('leaves no value unread while its queues have no quorum', async () => {
    const driver = start();
    await each(driver, 2);
    await queues('stop');
    await each(driver, 6, Date.now());
    await queues('restart');
    await each(driver, 2, Date.now());
    const read = allOf(driver);
    await none(() => read);
  });

  it('loses nothing on disk when the process of the driver is killed meanwhile', async () => {
    const first = start();
    await each(first, 2);
    await node.kill();
    await each(first, 5, Date.now());
    const killed = Date.now();
    await first.kill();
    const second = start();
    await node.start();
    await each(second, 2);
    await none(() => [...allOf(first, killed - UNSAVED_MS), ...allOf(second)]);
  });
});
