import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import type { Bus } from '../../../src/bus/bus.ts';
import { openRabbitmqBus } from '../../../src/bus/rabbitmq/bus.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { onboard, type Plant } from '../devices/plant.ts';
import { fresh } from '../world/fresh-name.ts';
import type { Fleet } from './fleet.ts';

const DATA = '/api/v3/data';
const VALUES_MS = 100;
const COMMANDS_MS = 500;
const LISTS_MS = 250;
const READY_MS = 200;
const Statuses = z.record(z.string(), z.string());

/** When a door was seen ready and not, in turn. */
type Change = { at: number; isReady: boolean };

/** Work that goes on through outages, and what came of it. */
export type OutageLoad = {
  plant: Plant;
  /** Origin times of the values that the bus answered for. */
  acknowledged: Set<number>;
  commands: Set<string>;
  /** Answers by status, 0 for none. */
  answers: Map<number, number>;
  changes: Map<string, Change[]>;
  /** Times at which the device was told offline. */
  offline: number[];
  stop(): Promise<void>;
};

/** Values over the bus, commands, lists and looks at every door, each at its own pace. */
export async function startOutageLoad(fleet: Fleet, amqpUrl: string): Promise<OutageLoad> {
  const { admin } = fleet;
  const plant = await onboard(admin);
  const { deviceId, temperature, target, driverId } = plant;
  const ruleId = await admin.data(`${DATA}/rule/add`, {
    ruleName: fresh('silence'),
    alarmTargetTypeFlag: 'POINT',
    entityId: temperature,
    ruleExt: { content: { condition: { operator: 'nodata' }, window: { duration: 'PT1M' } } },
  });
  const bus: Bus = await openRabbitmqBus({
    url: amqpUrl,
    prefix: 'svc',
    clock: systemClock,
    log: createLog('silent'),
  });
  const end = new AbortController();
  const acknowledged = new Set<number>();
  const commands = new Set<string>();
  const answers = new Map<number, number>();
  const changes = new Map<string, Change[]>([...fleet.doors.keys()].map((name) => [name, []]));
  const offline: number[] = [];
  const pending = new Set<Promise<unknown>>();

  /** Starts one every `ms`, whether the one before has ended or not. */
  const every = async (ms: number, work: () => Promise<void>): Promise<void> => {
    while (!end.signal.aborted) {
      const run = work().finally(() => pending.delete(run));
      pending.add(run);
      await sleep(ms);
    }
  };
  const asked = async <T extends { status: number }>(work: Promise<T>): Promise<T | null> => {
    const answer = await work.catch(() => null);
    const status = answer?.status ?? 0;
    answers.set(status, (answers.get(status) ?? 0) + 1);
    return answer;
  };
  let lastTime = Date.now();
  const publish = async (): Promise<void> => {
    const originTime = Math.max(Date.now(), lastTime + 1);
    lastTime = originTime;
    const value = { deviceId, pointId: temperature, rawValue: '7', calValue: '7', numValue: 7 };
    const values = [{ ...value, originTime, seq: 0, quality: 0 as const }];
    const batch = { tenantId: admin.tenantId, driverId, driverCode: 'VirtualDriver', node: 'load' };
    await bus.publish('svc.e.value', { ...batch, values }, { key: 'VirtualDriver' }).then(
      () => acknowledged.add(originTime),
      () => {},
    );
  };
  let n = 0;
  const command = async (): Promise<void> => {
    n += 1;
    const value = String(10 + (n % 10));
    const input = { deviceId, pointId: target, value };
    const answer = await asked(admin.post(`${DATA}/point_command/write`, input));
    if (answer?.body.ok) commands.add(String(answer.body.data));
  };
  const list = async (): Promise<void> => {
    const answer = await asked(admin.post(`${DATA}/device/status/list`, {}));
    if (!answer?.body.ok) return;
    if (Statuses.parse(answer.body.data)[deviceId] === 'offline') offline.push(Date.now());
  };
  const look = (name: string, door: string) => async (): Promise<void> => {
    const signal = AbortSignal.timeout(3_000);
    const isReady = await fetch(`${door}/readyz`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
    const seen = changes.get(name) ?? [];
    if (seen.at(-1)?.isReady !== isReady) seen.push({ at: Date.now(), isReady });
  };
  const running = [
    every(VALUES_MS, publish),
    every(COMMANDS_MS, command),
    every(LISTS_MS, list),
    ...[...fleet.doors].map(([name, door]) => every(READY_MS, look(name, door))),
  ];
  return {
    plant,
    acknowledged,
    commands,
    answers,
    changes,
    offline,
    async stop() {
      end.abort();
      await Promise.all(running);
      await Promise.allSettled(pending);
      await bus.close();
      // Its point gets no more values: in the next outage that would be an alarm.
      await admin.data(`${DATA}/rule/delete`, {}, { id: String(ruleId) });
    },
  };
}
