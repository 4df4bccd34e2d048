import { z } from 'zod';

import type { SimulatedDevice } from '../../../../driver/simulator/contract.ts';
import { startDevice } from '../../../../driver/simulator/device.ts';
import { createLog } from '../../../../src/kernel/process/log.ts';
import { agentIn } from '../../../tools/agent.ts';
import { type MortalDriver, startMortalDriver } from '../../devices/mortal-driver.ts';
import { openUdpRelay, type UdpRelay } from '../../devices/udp-relay.ts';
import { actionsIn } from '../../people/actions.ts';
import { Attributes } from '../../people/shapes.ts';
import { startWorld, type World } from '../../world/app.ts';
import { eventually } from '../../world/eventually.ts';
import { SkewedClock } from '../../world/shifted-clock.ts';
import { confirmSeen } from '../confirm-seen.ts';

const MANAGER = '/api/v3/manager';
const Id = z.string().regex(/^\d+$/);
const log = createLog('silent');

/** One simulated device behind a wire that loses what a round says. */
export type Wired = {
  deviceId: string;
  relay: UdpRelay;
  device: SimulatedDevice;
  /** What it holds instead of what it is told, while this is set. */
  hold: { instead: number | null };
  /** Every set-point it took over, in order. */
  taken: number[];
};

/** A platform whose LwM2M driver can die, and simulated devices it reaches over bad wires. */
export class OutcomeBench {
  readonly wired: Wired[] = [];
  readonly driverClock: SkewedClock;
  readonly world: World;
  readonly actions: ReturnType<typeof actionsIn>;
  pointId = '';
  driverId = '';
  #driver: MortalDriver;
  readonly #dataDir: string;

  private constructor(
    world: World,
    driver: MortalDriver,
    { clock, dataDir }: { clock: SkewedClock; dataDir: string },
  ) {
    this.world = world;
    this.driverClock = clock;
    this.#driver = driver;
    this.#dataDir = dataDir;
    this.actions = actionsIn(world, world.admin);
  }

  /** `environment` names a database of its own; a test has one anyway. */
  static async open(
    count: number,
    dataDir: string,
    environment?: Record<string, string>,
  ): Promise<OutcomeBench> {
    const database = environment && { environment, remove: async () => {} };
    const world = await startWorld({ without: 'driver-lwm2m', ...(database ? { database } : {}) });
    const clock = new SkewedClock();
    const driver = await startMortalDriver(world.bus, { clock, dataDir, port: 0 });
    const bench = new OutcomeBench(world, driver, { clock, dataDir });
    await bench.#onboard(count);
    return bench;
  }

  async #onboard(count: number): Promise<void> {
    const { admin } = this.world;
    const add = async (path: string, body: unknown) =>
      Id.parse(await admin.data(`${MANAGER}/${path}/add`, body));
    const Records = z.object({ records: z.array(z.object({ id: Id })) });
    const driverCode = 'Lwm2mDriver';
    const { records } = Records.parse(await admin.data(`${MANAGER}/driver/list`, { driverCode }));
    this.driverId = Id.parse(records[0]?.id);
    const attribute = async (kind: 'driver' | 'point', code: string): Promise<string> => {
      const path = `${MANAGER}/${kind}_attribute/list_by_driver_id`;
      const found = Attributes.parse(
        await admin.data(path, undefined, { driver_id: this.driverId }),
      );
      return Id.parse(found.find(({ attributeCode }) => attributeCode === code)?.id);
    };
    const endpoint = await attribute('driver', 'endpoint');
    const objectId = await attribute('point', 'objectId');
    const resourceId = await attribute('point', 'resourceId');
    const profileId = await add('profile', { profileName: 'wired' });
    this.pointId = await add('point', {
      pointName: 'set-point',
      pointTypeFlag: 'FLOAT',
      rwFlag: 'READ_WRITE',
      valueDecimal: 1,
      minValue: -1000,
      maxValue: 100_000,
      unit: '°C',
      profileId,
    });
    for (let n = 0; n < count; n += 1) {
      const deviceId = await add('device', {
        deviceName: `wired ${n}`,
        driverId: this.driverId,
        profileId,
      });
      const name = `urn:wired:${n}`;
      await add('driver_attribute_config', { attributeId: endpoint, deviceId, configValue: name });
      const { pointId } = this;
      for (const [attributeId, configValue] of [
        [objectId, '3308'],
        [resourceId, '5900'],
      ])
        await add('point_attribute_config', { attributeId, deviceId, pointId, configValue });
      const relay = await openUdpRelay(this.#driver.port);
      const hold: Wired['hold'] = { instead: null };
      const taken: number[] = [];
      const device = await startDevice({
        endpoint: name,
        server: { host: '127.0.0.1', port: relay.port },
        lifetimeS: 86_400,
        log,
        hold: (asked) => hold.instead ?? asked,
        onEvent: (event) => {
          if (event.event === 'set-point') taken.push(event.value);
        },
      });
      this.wired.push({ deviceId, relay, device, hold, taken });
    }
    await this.#ready();
  }

  /** Every device answers through its wire, and its value is stored. */
  async #ready(): Promise<void> {
    await Promise.all(
      this.wired.map((wired) =>
        eventually(
          async () => {
            const read = await this.read(wired);
            return this.receipt(read);
          },
          ({ status }) => status === 'SUCCESS',
          60_000,
        ),
      ),
    );
  }

  /** The driver dies with what it has under way, and another process takes its place. */
  async replaceDriver(): Promise<void> {
    await this.#driver.kill();
    const { port } = this.#driver;
    const [clock, dataDir] = [this.driverClock, this.#dataDir];
    this.#driver = await startMortalDriver(this.world.bus, { clock, dataDir, port });
    await eventually(
      async () => this.#driver.devices(),
      (known) => known === this.wired.length,
    );
  }

  /** Answers the id of the read once it has ended. */
  async read({ deviceId }: Wired): Promise<string> {
    const { pointId } = this;
    const commandId = z
      .string()
      .parse(await this.world.admin.data('/api/v3/data/point_command/read', { deviceId, pointId }));
    await eventually(
      () => this.receipt(commandId),
      ({ outcome }) => outcome !== 'UNDERWAY',
      60_000,
    );
    return commandId;
  }

  async write({ deviceId }: Wired, value: string): Promise<string> {
    const body = { deviceId, pointId: this.pointId, value };
    return z.string().parse(await this.world.admin.data('/api/v3/data/point_command/write', body));
  }

  /** Proposed by an agent and confirmed by a person, card in hand. */
  async confirm(wired: Wired, value: string): Promise<{ actionId: string; commandId: string }> {
    const site = { ...wired, pointId: this.pointId, driverId: '', driverCode: '', profileId: '' };
    const agent = agentIn(this.world.admin);
    const { actionId } = await this.actions.proposeIn(site, value, {}, agent);
    const decided = await confirmSeen(this.world.admin, actionId, 0);
    return { actionId, commandId: z.object({ commandId: z.string() }).parse(decided).commandId };
  }

  receipt = async (commandId: string) =>
    Receipt.parse(
      await this.world.admin.data(
        '/api/v3/data/point_command_history/get_by_command_id',
        undefined,
        { commandId },
      ),
    );

  action = async (actionId: string) =>
    Told.parse(
      await this.world.admin.data('/api/v3/agentic/action/get', undefined, { action_id: actionId }),
    );

  /** What a device holds, as its driver would collect it. */
  async collect({ deviceId, device }: Wired): Promise<void> {
    const value = String(device.setPoint());
    const { tenantId } = this.world.admin;
    await this.world.bus.handled(
      'svc.e.value',
      {
        tenantId,
        driverId: this.driverId,
        driverCode: 'Lwm2mDriver',
        node: 'mortal',
        values: [
          {
            deviceId,
            pointId: this.pointId,
            rawValue: value,
            calValue: value,
            numValue: Number(value),
            originTime: this.driverClock.now(),
            seq: 0,
            quality: 0,
          },
        ],
      },
      'Lwm2mDriver',
    );
  }

  async close(): Promise<void> {
    await this.#driver.kill();
    for (const { device, relay } of this.wired) {
      await device.stop();
      await relay.close();
    }
    await this.world.stop();
  }
}

const Told = z.looseObject({ status: z.string(), done: z.boolean(), say: z.string() });
const Receipt = Told.extend({
  outcome: z.string(),
  beforeValue: z.string().nullable(),
  readBackValue: z.string().nullable(),
  seen: z.object({ value: z.string(), time: z.string() }).nullable(),
});
export type Receipt = z.infer<typeof Receipt>;
