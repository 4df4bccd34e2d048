import { setTimeout as sleep } from 'node:timers/promises';

import pg from 'pg';
import { z } from 'zod';

import { onboard } from '../../../../driver/simulator/fleet/onboard.ts';
import { freeUdpPort } from '../../neighbours/free-port.ts';
import { login, type Session } from '../../people/session.ts';
import { Records } from '../../people/shapes.ts';
import { testEnvironment } from '../../world/environment.ts';
import { eventually } from '../../world/eventually.ts';
import type { Process } from '../../world/process.ts';
import { DriverNodes } from '../driver-nodes.ts';
import { alarmsOf, pointsWithoutValue, strayValuesOf } from './judge.ts';
import { Population } from './population.ts';

export type FleetSize = {
  /** Half of them over DTLS. */
  devices: number;
  lifetimeS: number;
  /** How long faults begin. */
  faultsMs: number;
  chances: { reboot: number; rebind: number; outage: number };
};

export type FleetResult = { facts: string[]; wrong: string[] };

type Node = { environment: Record<string, string>; process: Process };

const SEED = '13';
const LOSS = 0.05;
const TURN_MS = 10_000;
const START_MS = 300_000;
/** A report may be lost, as may the next ones. */
const MIN_SHOWN = 5;
const SHOW_MS = 3_000;
/** Above all that devices show before. */
const markOf = (shown: number): number => 4 + (shown % 99) / 100;
const Statuses = z.record(z.string(), z.string());
const Latest = z.object({ deviceName: z.string(), value: z.number() });

/** Simulated devices at two nodes of the LwM2M driver, beside one process of the centers, on PostgreSQL and RabbitMQ. */
export class FleetBench {
  readonly #size: FleetSize;
  readonly #platform: DriverNodes;
  readonly #population: Population;
  readonly #nodes: Node[] = [];
  readonly #facts: string[] = [];
  readonly #wrong: string[] = [];
  #database: pg.Client | null = null;
  #admin: Session | null = null;
  #driverId = '';

  private constructor(size: FleetSize, platform: DriverNodes) {
    this.#size = size;
    this.#platform = platform;
    this.#population = new Population(['clear', 'secure'], size.devices / 2);
  }

  static async open(given: Record<string, string>, size: FleetSize): Promise<FleetBench> {
    const settings = {
      SVC_DRIVER_READ_CRON: '0/10 * * * * ?',
      SVC_LOG_LEVEL: 'info',
      ...given,
    };
    const bench = new FleetBench(size, await DriverNodes.open(settings));
    try {
      await bench.#start(given);
    } catch (error) {
      await bench.close();
      throw error;
    }
    return bench;
  }

  async #start(given: Record<string, string>): Promise<void> {
    const { base } = this.#platform;
    await this.#platform.startCenters();
    for (const node of ['a', 'b']) {
      const own = {
        SVC_ROLES: 'driver-lwm2m',
        SVC_NODE: node,
        SVC_DATA_DIR: `${given['SVC_DATA_DIR']}/${node}`,
        LWM2M_PORT: String(await freeUdpPort()),
        LWM2M_SECURE_PORT: String(await freeUdpPort()),
      };
      this.#nodes.push({ environment: own, process: await this.#platform.startNode(own) });
    }
    this.#database = new pg.Client({ connectionString: given['DATABASE_URL'] });
    await this.#database.connect();
    // Row-level security would show no tenant's rows.
    await this.#query(`select set_config('svc.tenant_free', 'doctor', false)`);
    const password = testEnvironment.SVC_ADMIN_PASSWORD;
    this.#admin = await login(base, 'default', 'admin', password);
    const known = { platform: base, tenant: 'default', name: 'admin', password };
    const driver = { driverCode: 'Lwm2mDriver' };
    const list = () => this.#admin?.data('/api/v3/manager/driver/list', driver);
    const [found] = await eventually(
      async () => Records.parse(await list()).records,
      (records) => records.length > 0,
      START_MS,
    );
    this.#driverId = z.object({ id: z.string() }).parse(found).id;
    const half = this.#size.devices / 2;
    for (const isSecure of [false, true]) {
      const { endpoints } = this.#population;
      const names = isSecure ? endpoints.slice(half) : endpoints.slice(0, half);
      await onboard(names, known, { seed: SEED, isSecure, isObserved: true });
      const key = isSecure ? 'LWM2M_SECURE_PORT' : 'LWM2M_PORT';
      await this.#population.start(names, {
        servers: this.#nodes.map((node) => ({
          host: '127.0.0.1',
          port: Number(node.environment[key]),
        })),
        lifetimeS: this.#size.lifetimeS,
        seed: SEED,
        isSecure,
        network: { loss: LOSS, latencyMs: 0 },
        chances: { stuck: 0, 'lie-ack': 0, storm: 0, clock: 0, ...this.#size.chances },
        queue: null,
        turnMs: TURN_MS,
      });
    }
    await this.#untilOnline(START_MS);
  }

  async #offline(): Promise<string[]> {
    const query = { driver_id: this.#driverId };
    const path = '/api/v3/data/device/status/list_by_driver_id';
    const all = Statuses.parse(await this.#admin?.data(path, undefined, query));
    return Object.entries(all).flatMap(([id, status]) => (status === 'online' ? [] : [id]));
  }

  #untilOnline = (ms: number): Promise<string[]> =>
    eventually(
      () => this.#offline(),
      (offline) => offline.length === 0,
      ms,
    );

  /** Faults, each node restarted once meanwhile, and one lifetime without faults; what came of it. */
  async run(): Promise<FleetResult> {
    const { faultsMs, lifetimeS } = this.#size;
    for (const node of this.#nodes) {
      await sleep(faultsMs / 3);
      const began = performance.now();
      const at = new Date().toISOString().slice(14, 21);
      await node.process.kill();
      node.process = await this.#platform.startNode(node.environment);
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      this.#facts.push(
        `node ${node.environment['SVC_NODE']} killed at ${at} and back in ${seconds} s`,
      );
    }
    await sleep(faultsMs / 3);
    this.#population.calm();
    const calmAt = Date.now();
    while (this.#population.off > 0) await sleep(500);
    const endsAt = Math.max(calmAt, this.#population.lastOn) + lifetimeS * 1_000;
    await this.#judgeOnline(endsAt);
    await this.#judgeObservations(endsAt);
    await this.#judgeStored(endsAt);
    const [clear, secure] = this.#population.summaries();
    this.#facts.push(`in clear: ${JSON.stringify(clear)}`, `over DTLS: ${JSON.stringify(secure)}`);
    return { facts: this.#facts, wrong: this.#wrong };
  }

  async #judgeOnline(endsAt: number): Promise<void> {
    const offline = await this.#untilOnline(Math.max(0, endsAt - Date.now())).catch(() =>
      this.#offline(),
    );
    const seconds = ((Date.now() - this.#population.lastOn) / 1_000).toFixed(1);
    this.#facts.push(`all online ${seconds} s after the last device was on again`);
    if (offline.length > 0) this.#wrong.push(`${offline.length} devices are offline`);
  }

  /**
   * Each device must be asked to report, and what it reports must arrive. One whose port changed with the last fault is
   * found again with its next Update, so that each has one lifetime.
   */
  async #judgeObservations(endsAt: number): Promise<void> {
    const { endpoints, lastOn } = this.#population;
    const seen = new Set<string>();
    for (let count = 1; count <= MIN_SHOWN || Date.now() < endsAt; count += 1) {
      const shown = this.#population.show(markOf(count));
      await sleep(SHOW_MS);
      const rows = await this.#query(`select d.device_name as "deviceName", v.num_value as value
        from svc_device d join svc_point_value v on v.tenant_id = d.tenant_id and v.device_id = d.id
        where v.receive_time > now() - interval '${SHOW_MS + 2_000} milliseconds'`);
      for (const { deviceName, value } of z.array(Latest).parse(rows))
        if (Math.abs((shown.get(deviceName) ?? 0) - value) < 1e-6) seen.add(deviceName);
      if (seen.size === endpoints.length && this.#observed() === seen.size) break;
    }
    const seconds = ((Date.now() - lastOn) / 1_000).toFixed(1);
    this.#facts.push(
      `${this.#observed()} devices are observed, ${seen.size} showed a change, ${seconds} s after the last was on again`,
    );
    if (this.#observed() < endpoints.length) this.#wrong.push('devices are not observed');
    for (const name of endpoints)
      if (!seen.has(name))
        this.#wrong.push(
          `${name} showed none: ${this.#population.historyOf(name)}; ${this.#loggedOf(name)}`,
        );
  }

  #observed = (): number =>
    this.#population.summaries().reduce((sum, { observed }) => sum + observed, 0);

  /** What the nodes logged of a device. */
  #loggedOf = (name: string): string => `logged: ${this.#platform.logged(`"${name}"`).join(' ')}`;

  /** A point that is not observed is read in turns, each of which a restart or an outage may have met. */
  async #judgeStored(endsAt: number): Promise<void> {
    const query = (text: string) => this.#query(text);
    await eventually(
      () => pointsWithoutValue(query, this.#population),
      (missing) => missing.length === 0,
      Math.max(0, endsAt - Date.now()),
    ).catch(() => undefined);
    const values = await strayValuesOf(query, this.#population);
    const alarms = await alarmsOf(query, this.#population);
    this.#facts.push(...values.facts, ...alarms.facts);
    this.#wrong.push(...values.wrong);
    for (const wrong of alarms.wrong) {
      const name = wrong.split(':')[0] ?? '';
      this.#wrong.push(`${wrong}; ${this.#loggedOf(name)}`);
    }
  }

  async #query(text: string): Promise<unknown[]> {
    const answer = await this.#database?.query<Record<string, unknown>>(text);
    return answer?.rows ?? [];
  }

  async close(): Promise<void> {
    await this.#platform.kill();
    await this.#database?.end();
    await this.#population.stop();
  }
}
