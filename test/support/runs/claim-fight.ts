import { z } from 'zod';

import { addTenant } from '../../../src/auth/seed.ts';
import { acrossTenants } from '../../../src/db/tenant.ts';
import { systemClock as clock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { registerDriversForTenant } from '../../../src/manager/presence/registry.ts';
import { openBus } from '../../../src/start/bus.ts';
import { type Platform, startPlatform } from '../../../src/start/platform.ts';
import { readSettings } from '../../../src/start/settings.ts';
import { login, type Session } from '../people/session.ts';
import { Attributes, Records } from '../people/shapes.ts';
import { testEnvironment } from '../world/environment.ts';
import { eventually } from '../world/eventually.ts';

const MANAGER = '/api/v3/manager';
const PASSWORD = testEnvironment.SVC_ADMIN_PASSWORD;

/** How a tenant can come to an endpoint name. */
export const ways = ['add', 'update', 'import'] as const;
export type Way = (typeof ways)[number];
/** How its owner gives it up. */
export const leavings = ['config', 'rename', 'driver', 'device'] as const;
export type Leaving = (typeof leavings)[number];

type Fighter = {
  session: Session;
  driverId: string;
  otherDriverId: string;
  profileId: string;
  attributeId: string;
};
type Try = { status: number; message: string; deviceName: string };
export type Owner = { tenantId: string; deviceId: string; endpoint: string };

/**
 * Two tenants on two nodes of one platform, each on a database pool of its own where the engine has
 * such, that fight for endpoint names of the LwM2M driver.
 */
export class ClaimFight {
  readonly #environment: Record<string, string>;
  #nodes: Platform[] = [];
  #fighters: Fighter[] = [];
  #count = 0;

  private constructor(environment: Record<string, string>) {
    this.#environment = { ...testEnvironment, ...environment };
  }

  static async open(environment: Record<string, string>): Promise<ClaimFight> {
    const fight = new ClaimFight(environment);
    await fight.#start();
    const [{ app } = fight.#node(0)] = fight.#nodes;
    for (const code of ['red', 'blue']) {
      const admin = { login: `${code}-admin`, password: PASSWORD };
      const { tenantId } = await addTenant(app, { code, name: code, admin });
      await registerDriversForTenant(app, tenantId);
    }
    await fight.#enter();
    return fight;
  }

  get lwm2mPort(): number {
    return this.#node(0).listening[0]?.port ?? 0;
  }

  session(fighter: number): Session {
    return this.#fighter(fighter).session;
  }

  /** Both want `name` at the same moment, each in its way; what each was answered. */
  async round(name: string, [one, two]: readonly [Way, Way]): Promise<[Try, Try]> {
    const tries = [await this.#prepare(0, one, name), await this.#prepare(1, two, name)] as const;
    const [first, second] = await Promise.all(tries.map((run) => run()));
    if (!first || !second) throw new Error('two tries have two answers');
    return [first, second];
  }

  async attempt(fighter: number, way: Way, name: string): Promise<Try> {
    return (await this.#prepare(fighter, way, name))();
  }

  /** Who has the name now, as the database says. */
  async owners(name: string): Promise<Owner[]> {
    return acrossTenants(this.#node(0).app.db, 'doctor', (q) =>
      q
        .selectFrom('svc_endpoint_claim')
        .select(['tenantId', 'deviceId', 'endpoint'])
        .where('endpoint', '=', name)
        .execute(),
    );
  }

  /** The devices configured with the name: a refused call leaves none behind. */
  async configuredWith(name: string): Promise<string[]> {
    const rows = await acrossTenants(this.#node(0).app.db, 'doctor', (q) =>
      q
        .selectFrom('svc_driver_attribute_config')
        .select('deviceId')
        .where('configValue', '=', name)
        .execute(),
    );
    return rows.map(({ deviceId }) => deviceId);
  }

  /** Makes the configs of two devices say `name` without a claim, as before there were claims. */
  async configureWithoutClaim(names: readonly string[], name: string): Promise<void> {
    await acrossTenants(this.#node(0).app.db, 'doctor', async (q) => {
      await q
        .updateTable('svc_driver_attribute_config')
        .set({ configValue: name })
        .where('configValue', 'in', [...names])
        .execute();
      await q
        .deleteFrom('svc_endpoint_claim')
        .where('endpoint', 'in', [...names])
        .execute();
    });
  }

  /** The owner gives its name up. */
  async leave(fighter: number, { deviceId, endpoint }: Owner, how: Leaving): Promise<void> {
    const { session, otherDriverId } = this.#fighter(fighter);
    const config = await this.#configOf(fighter, deviceId);
    if (how === 'config')
      await session.data(`${MANAGER}/driver_attribute_config/delete`, { id: config });
    if (how === 'rename')
      await session.data(`${MANAGER}/driver_attribute_config/update`, {
        id: config,
        configValue: `${endpoint}-left`,
      });
    if (how === 'driver')
      await session.data(`${MANAGER}/device/update`, { id: deviceId, driverId: otherDriverId });
    if (how === 'device') await session.data(`${MANAGER}/device/delete`, { id: deviceId });
  }

  async deviceExists(fighter: number, deviceName: string): Promise<boolean> {
    const { session } = this.#fighter(fighter);
    const found = await session.data(`${MANAGER}/device/list`, { deviceName });
    return Records.parse(found).records.length > 0;
  }

  /** The status of a device, with what its driver says of it. */
  async statusOf(fighter: number, deviceId: string): Promise<unknown> {
    const path = '/api/v3/data/device/status/get_by_device_id';
    return this.#fighter(fighter).session.data(path, undefined, { device_id: deviceId });
  }

  /** Gives a device of this fighter a value for another attribute of the driver. */
  async configure(fighter: number, deviceId: string, code: string, value: string): Promise<void> {
    const { session, driverId } = this.#fighter(fighter);
    const path = `${MANAGER}/driver_attribute/list_by_driver_id`;
    const rows = Attributes.parse(await session.data(path, undefined, { driver_id: driverId }));
    const attributeId = rows.find(({ attributeCode }) => attributeCode === code)?.id;
    const config = { deviceId, attributeId, configValue: value };
    await session.data(`${MANAGER}/driver_attribute_config/add`, config);
  }

  /** Whether a device of this fighter is online, which the driver says within its next heartbeat. */
  async isOnline(fighter: number, deviceId: string): Promise<boolean> {
    const { session, driverId } = this.#fighter(fighter);
    const path = '/api/v3/data/device/status/list_by_driver_id';
    const statuses = await session.data(path, undefined, { driver_id: driverId });
    return z.record(z.string(), z.string()).parse(statuses)[deviceId] === 'online';
  }

  /** Stops both nodes and starts them again on the same data. */
  async restart(): Promise<void> {
    await this.#stopNodes();
    await this.#start();
    await this.#enter();
  }

  async close(): Promise<void> {
    await this.#stopNodes();
  }

  async #start(): Promise<void> {
    const config = readSettings(this.#environment);
    const log = createLog(config.logLevel);
    const bus = await openBus({ ...config.bus, clock, log });
    const first = await startPlatform(config, { clock, log, bus });
    const centers = {
      // Never connected to: the second node shares the bus, and the embedded database.
      DATABASE_URL: 'postgres://127.0.0.1/shared',
      AMQP_URL: 'amqp://127.0.0.1/shared',
      ...this.#environment,
      SVC_ROLES: 'gateway,auth,manager,data,agentic',
    };
    const kept = async (): Promise<void> => {};
    // Only PostgreSQL takes a second process; the bus of the test is shared with it.
    const db = config.databaseUrl === null ? { db: { ...first.app.db, close: kept } } : {};
    const shared = { clock, log, bus: { ...bus, close: kept }, ...db };
    const second = await startPlatform(readSettings(centers), shared);
    this.#nodes = [first, second];
  }

  async #enter(): Promise<void> {
    this.#fighters = [];
    for (const [node, tenant] of ['red', 'blue'].entries()) {
      const base = this.#node(node).app.config.baseUrl;
      const session = await login(base, tenant, `${tenant}-admin`, PASSWORD);
      const driver = async (driverCode: string): Promise<string> =>
        eventually(
          async () =>
            Records.parse(await session.data(`${MANAGER}/driver/list`, { driverCode })).records[0]
              ?.id ?? '',
          (id) => id !== '',
        );
      const driverId = await driver('Lwm2mDriver');
      const path = `${MANAGER}/driver_attribute/list_by_driver_id`;
      const rows = Attributes.parse(await session.data(path, undefined, { driver_id: driverId }));
      const attributeId = rows.find(({ attributeCode }) => attributeCode === 'endpoint')?.id ?? '';
      const profileId = z
        .string()
        .parse(
          await session.data(`${MANAGER}/profile/add`, { profileName: this.#fresh('profile') }),
        );
      const otherDriverId = await driver('VirtualDriver');
      this.#fighters.push({ session, driverId, otherDriverId, profileId, attributeId });
    }
  }

  /** Everything but the last call, so that the calls of two fighters meet. */
  async #prepare(fighter: number, way: Way, name: string): Promise<() => Promise<Try>> {
    const { session, driverId, profileId, attributeId } = this.#fighter(fighter);
    const deviceName = this.#fresh('meter');
    if (way === 'import') return () => this.#import(fighter, deviceName, name);
    const added = await session.data(`${MANAGER}/device/add`, { deviceName, driverId, profileId });
    const deviceId = z.string().parse(added);
    const config = { deviceId, attributeId, configValue: name };
    const path = `${MANAGER}/driver_attribute_config`;
    const told = async (answer: ReturnType<Session['post']>): Promise<Try> => {
      const { status, body } = await answer;
      return { status, message: body.message, deviceName };
    };
    if (way === 'add') return () => told(session.post(`${path}/add`, config));
    const before = { ...config, configValue: this.#fresh('before') };
    const id = z.string().parse(await session.data(`${path}/add`, before));
    return () => told(session.post(`${path}/update`, { id, configValue: name }));
  }

  /** Three devices of which one has the name, in an order that is not that of the other fighter. */
  async #import(fighter: number, deviceName: string, name: string): Promise<Try> {
    const { session, driverId, profileId } = this.#fighter(fighter);
    const names = [`${name}-a-${fighter}`, name, `${name}-z-${fighter}`];
    const ordered = fighter === 0 ? names : names.toReversed();
    const rows = ordered.map((endpoint, n) => `${deviceName}-${n},${endpoint}`);
    const query = new URLSearchParams({ driverId, profileId }).toString();
    const response = await fetch(`${session.base}${MANAGER}/device/import?${query}`, {
      method: 'POST',
      headers: { ...session.headers, 'content-type': 'text/csv; charset=utf-8' },
      body: ['deviceName,endpoint', ...rows].join('\n'),
    });
    const { message } = z.object({ message: z.string() }).parse(await response.json());
    return { status: response.status, message, deviceName: `${deviceName}-1` };
  }

  async #configOf(fighter: number, deviceId: string): Promise<string> {
    const path = `${MANAGER}/driver_attribute_config/list_by_device_id`;
    const { session } = this.#fighter(fighter);
    const rows = Attributes.parse(await session.data(path, undefined, { device_id: deviceId }));
    return rows.find(({ attributeCode }) => attributeCode === 'endpoint')?.id ?? '';
  }

  async #stopNodes(): Promise<void> {
    for (const node of this.#nodes.toReversed()) await node.stop();
    this.#nodes = [];
  }

  #node(index: number): Platform {
    const node = this.#nodes[index];
    if (!node) throw new Error(`node ${index} does not run`);
    return node;
  }

  #fighter(index: number): Fighter {
    const fighter = this.#fighters[index];
    if (!fighter) throw new Error(`there is no fighter ${index}`);
    return fighter;
  }

  #fresh(what: string): string {
    return `${what}-${(this.#count += 1)}-${process.pid}`;
  }
}
