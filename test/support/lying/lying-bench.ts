import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import { claims } from '../cases/outcome.ts';
import { add, pointAttributes } from '../devices/plant.ts';
import { freeUdpPort } from '../neighbours/free-port.ts';
import { Attributes, Records } from '../people/shapes.ts';
import { startWorld, type World } from '../world/app.ts';
import { eventually } from '../world/eventually.ts';
import { type Lie, lies, type LyingDevice, openLyingDevice } from './lying-device.ts';

const MANAGER = '/api/v3/manager';
const Receipt = z.looseObject({
  status: z.string(),
  outcome: z.string(),
  verification: z.string(),
  errorCode: z.string(),
  say: z.string(),
});
/** What a device says after the end reaches the platform, and changes an unknown end. */
const SETTLED_MS = 1_200;
const AT_ONCE = 12;

type Liar = { deviceId: string; isSecure: boolean; isObserved: boolean; device: LyingDevice };
export type Verdict = {
  lie: Lie;
  transport: 'DTLS' | 'clear';
  observe: 'on' | 'off';
  /** The end at first, and after what the device said later. */
  end: string;
  last: string;
  isFalselyVerified: boolean;
  isFalselyFailed: boolean;
  wrong: string[];
};

/** A platform whose devices lie: a quarter of them each over DTLS or in clear, observed or not. */
export class LyingBench {
  readonly world: World;
  readonly #liars: Liar[] = [];
  #pointId = '';

  private constructor(world: World) {
    this.world = world;
  }

  static async open(
    count: number,
    random: () => number,
    environment?: Record<string, string>,
  ): Promise<LyingBench> {
    const securePort = await freeUdpPort();
    const world = await startWorld({
      environment: { LWM2M_SECURE_PORT: String(securePort) },
      ...(environment ? { database: { environment, remove: async () => {} } } : {}),
    });
    const bench = new LyingBench(world);
    await bench.#onboard(count, securePort, random);
    return bench;
  }

  async #onboard(count: number, securePort: number, random: () => number): Promise<void> {
    const { admin } = this.world;
    const found = await admin.data(`${MANAGER}/driver/list`, { driverCode: 'Lwm2mDriver' });
    const driverId = Records.parse(found).records[0]?.id ?? '';
    const profileId = await add(admin, 'profile', { profileName: 'liar' });
    const point = { pointName: 'set-point', pointTypeFlag: 'DOUBLE', rwFlag: 'READ_WRITE' };
    const pointId = await add(admin, 'point', { ...point, profileId });
    this.#pointId = pointId;
    const ofPoint = await pointAttributes(admin, driverId);
    const path = `${MANAGER}/driver_attribute/list_by_driver_id`;
    const rows = Attributes.parse(await admin.data(path, undefined, { driver_id: driverId }));
    const ofDevice = new Map(rows.map(({ attributeCode, id }) => [attributeCode, id]));
    const one = async (n: number): Promise<void> => {
      const [isSecure, isObserved] = [n % 2 === 0, n % 4 < 2];
      const endpoint = `urn:liar:${n}`;
      const key = Buffer.alloc(16, 1 + (n % 200));
      const deviceId = await add(admin, 'device', { deviceName: endpoint, driverId, profileId });
      const secured = { securityMode: 'PSK', pskIdentity: endpoint, pskKey: key.toString('hex') };
      const configs = { ...(isSecure ? secured : {}), endpoint };
      for (const [code, configValue] of Object.entries(configs))
        await add(admin, 'driver_attribute_config', {
          deviceId,
          attributeId: ofDevice.get(code),
          configValue,
        });
      const observe = isObserved ? { observe: 'true', pmax: '3600' } : {};
      const resource = { objectId: '3308', resourceId: '5900', ...observe };
      for (const [code, configValue] of Object.entries(resource))
        await add(admin, 'point_attribute_config', {
          deviceId,
          pointId,
          attributeId: ofPoint.get(code),
          configValue,
        });
      const device = await openLyingDevice({
        port: isSecure ? securePort : this.world.lwm2mPort,
        endpoint,
        psk: isSecure ? { identity: Buffer.from(endpoint), key } : null,
        random,
        now: () => this.world.clock.now(),
      });
      this.#liars.push({ deviceId, isSecure, isObserved, device });
      await eventually(
        () => device.register(),
        (code) => code === 0x41,
        60_000,
      );
    };
    for (let n = 0; n < count; n += AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, i) => one(n + i)));
    // Every value is stored, so that a later reading can prove an unknown write.
    await Promise.all(
      this.#liars.map(async ({ deviceId, isObserved, device }) => {
        const command = { deviceId, pointId };
        await eventually(
          async () => {
            const id = await admin.data('/api/v3/data/point_command/read', command);
            return this.#ended(String(id));
          },
          ({ status }) => status === 'SUCCESS',
          120_000,
        );
        if (isObserved)
          await eventually(
            async () => device.isObserved(),
            (is) => is,
            120_000,
          );
      }),
    );
  }

  /** `count` writes in all, one after the other at each device; what became of each. */
  async writes(
    count: number,
    random: () => number,
    judged: (verdict: Verdict) => void = () => {},
  ): Promise<Verdict[]> {
    const verdicts: Verdict[] = [];
    const plans = Array.from({ length: count }, (_, n) => ({
      lie: lies[Math.floor(random() * lies.length)] ?? 'none',
      // Each value once at each device: what was held earlier is no proof of a later write.
      value: 10 + Math.ceil((n + 1) / this.#liars.length) + Math.floor(random() * 9) / 10,
    }));
    await Promise.all(
      this.#liars.map(async (liar, at) => {
        for (let n = at; n < count; n += this.#liars.length) {
          const plan = plans[n];
          if (!plan) return;
          const verdict = await this.#write(liar, plan.lie, plan.value);
          verdicts.push(verdict);
          judged(verdict);
        }
      }),
    );
    return verdicts;
  }

  async #write(liar: Liar, lie: Lie, value: number): Promise<Verdict> {
    const { deviceId, device, isSecure, isObserved } = liar;
    device.lies(lie, value);
    const sent = this.world.clock.now();
    const body = { deviceId, pointId: this.#pointId, value: String(value) };
    const id = await this.world.admin.data('/api/v3/data/point_command/write', body);
    const first = await this.#ended(String(id));
    const firstAt = this.world.clock.now();
    await sleep(SETTLED_MS);
    // Taken before the receipt: what is said while it is fetched may come too late for it.
    const lastAt = this.world.clock.now() - SETTLED_MS / 2;
    const last = await this.#receipt(String(id));
    const verdicts = [judge(device, { sent, value, at: firstAt }, first)];
    verdicts.push(judge(device, { sent, value, at: lastAt }, last));
    return {
      lie,
      transport: isSecure ? 'DTLS' : 'clear',
      observe: isObserved ? 'on' : 'off',
      end: nameOf(first),
      last: nameOf(last),
      isFalselyVerified: verdicts.some((one) => one.isFalselyVerified),
      isFalselyFailed: verdicts[1]?.isFalselyFailed === true,
      wrong: [...new Set(verdicts.flatMap((one) => one.wrong))],
    };
  }

  #receipt = async (commandId: string) =>
    Receipt.parse(
      await this.world.admin.data(
        '/api/v3/data/point_command_history/get_by_command_id',
        undefined,
        { commandId },
      ),
    );

  #ended = (commandId: string) =>
    eventually(
      () => this.#receipt(commandId),
      ({ outcome }) => outcome !== 'UNDERWAY',
      60_000,
    );

  async close(): Promise<void> {
    for (const { device } of this.#liars) device.close();
    await this.world.stop();
  }
}

type Ended = z.infer<typeof Receipt>;

const nameOf = ({ outcome, verification, errorCode }: Ended): string => {
  const end = outcome === 'EXECUTED' ? verification : outcome;
  return end === 'UNVERIFIED' ? `${end} (${errorCode})` : end;
};

/** Holds what a receipt says against what the device held, and said, until then. */
function judge(
  { truth }: LyingDevice,
  { sent, value, at }: { sent: number; value: number; at: number },
  receipt: Ended,
) {
  const isHeld = truth.held.some((one) => one.value === value && one.at >= sent);
  const wasSaid = truth.said.some((one) => one.value === value && one.at >= sent && one.at <= at);
  const end = nameOf(receipt);
  const claimed = claims(receipt.say);
  const isFalselyVerified = end === 'VERIFIED' && !isHeld;
  const isFalselyFailed = end === 'FAILED' && wasSaid;
  const wrong: string[] = [];
  if (isFalselyVerified) wrong.push('VERIFIED without effect');
  if (isFalselyFailed) wrong.push('FAILED, while the device said the value');
  const named = [claimed.effect, claimed.none, claimed.other, claimed.unknown];
  if (named.filter(Boolean).length !== 1) wrong.push('names no end');
  return {
    isFalselyVerified,
    isFalselyFailed,
    wrong: wrong.map((what) => `${what}: ${receipt.say}`),
  };
}

/** A row for each lie, transport and observation. */
export function tableOf(verdicts: readonly Verdict[]): string[] {
  const groups = Map.groupBy(verdicts, (one) => `${one.lie} | ${one.transport} | ${one.observe}`);
  const rows = [...groups].toSorted(([a], [b]) => a.localeCompare(b));
  return [
    '| lie | transport | observe | writes | ends: after what was said later | false VERIFIED | false FAILED |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(([name, found]) => {
      const ends = Map.groupBy(found, ({ end, last }) => (end === last ? end : `${end} → ${last}`));
      const counts = [...ends]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([end, { length }]) => `${end} ×${length}`);
      const verified = found.filter((one) => one.isFalselyVerified).length;
      const failed = found.filter((one) => one.isFalselyFailed).length;
      return `| ${name} | ${found.length} | ${counts.join(', ')} | ${verified} | ${failed} |`;
    }),
  ];
}
