import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import type { SimulatedDevice } from '../../../../driver/simulator/contract.ts';
import { startDevice } from '../../../../driver/simulator/device.ts';
import { createLog } from '../../../../src/kernel/process/log.ts';
import { add, pointAttributes } from '../../devices/plant.ts';
import { freeUdpPort } from '../../neighbours/free-port.ts';
import { login, type Session } from '../../people/session.ts';
import { Records } from '../../people/shapes.ts';
import { testEnvironment } from '../../world/environment.ts';
import { eventually } from '../../world/eventually.ts';
import { startProcess } from '../../world/process.ts';
import { DriverNodes } from '../driver-nodes.ts';
import { type Copy, type Ended, judge, type Target } from './judge.ts';

const OPEN = ['PENDING', 'SENT'];

const Receipt = z.object({ status: z.string(), errorCode: z.string() });

export type CopiesResult = {
  reads: number;
  writes: number;
  kills: number;
  ends: Record<string, number>;
  /** What must not be, in words. */
  wrong: string[];
};

/** Two copies of each driver beside one process of the centers, on PostgreSQL and RabbitMQ. */
export class CopiesBench {
  readonly #nodes: DriverNodes;
  readonly #devices: SimulatedDevice[] = [];
  readonly #copies: Copy[] = [];
  readonly #targets: Target[] = [];
  readonly #wrong: string[] = [];
  #admin: Session | null = null;
  #kills = 0;
  #value = 5;

  private constructor(nodes: DriverNodes) {
    this.#nodes = nodes;
  }

  static async open(given: Record<string, string>): Promise<CopiesBench> {
    const bench = new CopiesBench(await DriverNodes.open({ SVC_DEMO: 'on', ...given }));
    try {
      await bench.#start(given);
    } catch (error) {
      await bench.close();
      throw error;
    }
    return bench;
  }

  async #start(given: Record<string, string>): Promise<void> {
    const { base, environment } = this.#nodes;
    await this.#nodes.startCenters();
    for (const name of ['driver-lwm2m', 'driver-virtual'])
      for (const node of ['a', 'b']) {
        const own = {
          SVC_ROLES: name,
          SVC_NODE: node,
          SVC_DATA_DIR: `${given['SVC_DATA_DIR']}/${name}-${node}`,
          LWM2M_PORT: String(await freeUdpPort()),
        };
        const process = await this.#nodes.startNode(own);
        this.#copies.push({
          name: `${name} ${node}`,
          environment: own,
          process,
          killedAt: 0,
          backAt: 0,
        });
      }
    const demo = startProcess(['src/main.ts', 'demo'], environment);
    const { code } = await demo.exited;
    if (code !== 0) throw new Error(demo.output.join('\n'));
    this.#admin = await login(base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
    await this.#onboard(this.#admin);
  }

  /** Two LwM2M devices at each copy, and the virtual one. */
  async #onboard(admin: Session): Promise<void> {
    const list = async (noun: string, query: object) =>
      Records.parse(await admin.data(`/api/v3/manager/${noun}/list`, query)).records;
    const [first] = await list('device', { deviceName: 'dev-1' });
    const [virtual] = await list('device', { deviceName: 'virtual-1' });
    const Device = z.object({ id: z.string(), driverId: z.string(), profileId: z.string() });
    const lwm2m = Device.parse(first);
    const points = async (deviceId: string): Promise<Map<string, string>> => {
      const Points = z.array(z.object({ id: z.string(), pointName: z.string() }));
      const found = await admin.data('/api/v3/manager/point/list_by_device_id', undefined, {
        device_id: deviceId,
      });
      return new Map(Points.parse(found).map(({ id, pointName }) => [pointName, id]));
    };
    const { id: virtualId } = Device.parse(virtual);
    const its = await points(virtualId);
    const target = (deviceId: string, read = '', write = '') => ({ deviceId, read, write });
    this.#targets.push({
      ...target(virtualId, its.get('level'), its.get('target')),
      copy: null,
      told: null,
    });
    const own = await points(lwm2m.id);
    const Attributes = z.array(z.object({ id: z.string(), attributeCode: z.string() }));
    const declared = Attributes.parse(
      await admin.data('/api/v3/manager/driver_attribute/list_by_driver_id', undefined, {
        driver_id: lwm2m.driverId,
      }),
    );
    const endpointId = declared.find(({ attributeCode }) => attributeCode === 'endpoint')?.id;
    const ofPoints = await pointAttributes(admin, lwm2m.driverId);
    for (let n = 2; n <= 5; n += 1) {
      const { driverId, profileId } = lwm2m;
      const deviceId = await add(admin, 'device', { deviceName: `dev-${n}`, driverId, profileId });
      const attributeId = endpointId;
      await add(admin, 'driver_attribute_config', {
        deviceId,
        attributeId,
        configValue: `dev-${n}`,
      });
      for (const [name, object, resource] of [
        ['temperature', '3303', '5700'],
        ['set-point', '3308', '5900'],
      ] as const)
        for (const [code, configValue] of [
          ['objectId', object],
          ['objectInstanceId', '0'],
          ['resourceId', resource],
        ] as const)
          await add(admin, 'point_attribute_config', {
            deviceId,
            pointId: own.get(name),
            attributeId: ofPoints.get(code),
            configValue,
          });
      const copy = this.#copies[n % 2];
      if (!copy) throw new Error('no copy');
      const told = new Map<string, number>();
      const device = await startDevice({
        endpoint: `dev-${n}`,
        server: { host: '127.0.0.1', port: Number(copy.environment['LWM2M_PORT']) },
        lifetimeS: 60,
        log: createLog('silent'),
        onEvent(event) {
          if (event.event !== 'set-point') return;
          const value = String(event.value);
          told.set(value, (told.get(value) ?? 0) + 1);
        },
      });
      this.#devices.push(device);
      this.#targets.push({
        ...target(deviceId, own.get('temperature'), own.get('set-point')),
        copy,
        told,
      });
    }
    for (const { deviceId } of this.#targets)
      await eventually(
        () => this.#statuses(),
        (all) => all[deviceId] === 'online',
        60_000,
      );
  }

  async #statuses(): Promise<Record<string, string>> {
    return z.record(z.string(), z.string()).parse(
      await this.#admin?.data('/api/v3/data/device/status/list', {
        page: { current: 1, size: 100 },
      }),
    );
  }

  /** Kills a copy at once and starts it again. */
  async #killNext(): Promise<void> {
    const copy = this.#copies[this.#kills % this.#copies.length];
    if (!copy) return;
    this.#kills += 1;
    copy.killedAt = Date.now();
    copy.backAt = Number.POSITIVE_INFINITY;
    await copy.process.kill();
    copy.process = await this.#nodes.startNode(copy.environment);
    copy.backAt = Date.now();
  }

  async #command(kind: 'read' | 'write', target: Target): Promise<Ended> {
    const { deviceId } = target;
    // Each value is written once, so that the device can tell a write that came twice.
    const value = kind === 'write' ? ((this.#value += 1) / 100).toFixed(2) : '';
    const body =
      kind === 'read'
        ? { deviceId, pointId: target.read }
        : { deviceId, pointId: target.write, value: String(5 + Number(value)) };
    const from = Date.now();
    const commandId = String(await this.#admin?.data(`/api/v3/data/point_command/${kind}`, body));
    const receipt = await eventually(
      async () =>
        Receipt.parse(
          await this.#admin?.data(
            '/api/v3/data/point_command_history/get_by_command_id',
            undefined,
            {
              commandId,
            },
          ),
        ),
      ({ status }) => !OPEN.includes(status),
      30_000,
    );
    return { kind, value: String(5 + Number(value)), ...receipt, target, from, to: Date.now() };
  }

  /** Commands in turn over all devices, a kill every `killEveryMs`; what came of it. */
  async run(size: {
    reads: number;
    writes: number;
    killEveryMs: number;
    gapMs: number;
  }): Promise<CopiesResult> {
    const ends: Ended[] = [];
    const commands = Array.from({ length: size.reads + size.writes }, (_, n) =>
      n % 3 === 2 || n >= size.reads * 1.5 ? ('write' as const) : ('read' as const),
    );
    const phase = { over: false };
    const kill = async (): Promise<void> => {
      for (let next = Date.now() + size.killEveryMs / 2; !phase.over; next += size.killEveryMs) {
        while (!phase.over && Date.now() < next) await sleep(100);
        if (!phase.over) await this.#killNext();
      }
    };
    const watch = async (): Promise<void> => {
      while (!phase.over) {
        const statuses = await this.#statuses();
        for (const { deviceId } of this.#targets)
          if (statuses[deviceId] !== 'online')
            this.#wrong.push(`device ${deviceId} is shown ${statuses[deviceId]}`);
        await sleep(500);
      }
    };
    const load = async (): Promise<void> => {
      const open: Promise<unknown>[] = [];
      for (const [n, kind] of commands.entries()) {
        const target = this.#targets[n % this.#targets.length];
        if (target) open.push(this.#command(kind, target).then((ended) => ends.push(ended)));
        await sleep(size.gapMs);
      }
      await Promise.all(open);
    };
    const beside = [kill(), watch()];
    try {
      await load();
    } finally {
      phase.over = true;
      await Promise.all(beside);
    }
    const counts: Record<string, number> = {};
    for (const { kind, status, errorCode } of ends) {
      const key = `${kind} ${status} ${errorCode}`.trim();
      counts[key] = (counts[key] ?? 0) + 1;
    }
    const wrong = ends.flatMap(
      (ended) =>
        judge(ended, ended.target.copy ? [ended.target.copy] : this.#copies.slice(2)) ?? [],
    );
    return {
      reads: ends.filter(({ kind }) => kind === 'read').length,
      writes: ends.filter(({ kind }) => kind === 'write').length,
      kills: this.#kills,
      ends: counts,
      wrong: [...wrong, ...new Set(this.#wrong)],
    };
  }

  async close(): Promise<void> {
    for (const device of this.#devices) device.vanish();
    await this.#nodes.kill();
  }
}
