import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { pskOf } from '../../../../driver/simulator/fleet/identity.ts';
import { onboard } from '../../../../driver/simulator/fleet/onboard.ts';
import { freeUdpPort } from '../../neighbours/free-port.ts';
import { login, type Session } from '../../people/session.ts';
import { testEnvironment } from '../../world/environment.ts';
import { eventually } from '../../world/eventually.ts';
import { startProcess } from '../../world/process.ts';
import { seeded } from '../../world/seeded.ts';
import { type Server, startServer } from '../../world/server.ts';
import { kindsOf, mutant, type Wires } from './kinds.ts';
import { KnownDevice } from './known.ts';
import { amplification, Peer } from './peer.ts';

const SEED = '13';
const PASSWORD = testEnvironment.SVC_ADMIN_PASSWORD;
const BATCH = 500;
/** Mutants made of one true datagram. */
const ALIKE = 5;
/** So that the platform's socket does not overflow: what is lost there proves nothing. */
const PIECE = 50;
const CALLERS = 4;
const START_MS = 60_000;

export type Siege = {
  byKind: Map<string, number>;
  growthMb: number;
  amplification: number;
  wrong: string[];
};
export type Flood = { perSecond: number; p95: number; calls: number; lines: number };

/** The whole platform as one process, with a device in clear and one with a key. */
export class DatagramBench {
  readonly #server: Server;
  readonly #admin: Session;
  readonly #wires: Wires;
  readonly #strangers: Peer[];

  private constructor(server: Server, admin: Session, wires: Wires) {
    this.#server = server;
    this.#admin = admin;
    this.#wires = wires;
    this.#strangers = [wires.strangers.clear, wires.strangers.secure];
  }

  static async open(given: Record<string, string>): Promise<DatagramBench> {
    const [port, securePort] = [await freeUdpPort(), await freeUdpPort()];
    const server = await startServer({
      ...testEnvironment,
      SVC_LOG_LEVEL: 'info',
      SVC_DEMO: 'off',
      ...given,
      LWM2M_PORT: String(port),
      LWM2M_SECURE_PORT: String(securePort),
    });
    try {
      const admin = await login(server.base, 'default', 'admin', PASSWORD);
      const to = { platform: server.base, tenant: 'default', name: 'admin', password: PASSWORD };
      const drivers = () =>
        admin.data('/api/v3/manager/driver/list', { driverCode: 'Lwm2mDriver' });
      await eventually(drivers, (page) => JSON.stringify(page).includes('Lwm2mDriver'), START_MS);
      for (const isSecure of [false, true])
        await onboard([isSecure ? 'known-secure' : 'known-clear'], to, {
          seed: SEED,
          isSecure,
          isObserved: true,
        });
      const psk = pskOf(SEED, 'known-secure');
      // The driver has heard of the devices.
      await sleep(2_000);
      const wires = {
        clear: await KnownDevice.open(port, 'known-clear'),
        secure: await KnownDevice.open(securePort, 'known-secure', psk),
        strangers: { clear: await Peer.open(port), secure: await Peer.open(securePort) },
        psk,
      };
      const devices = [wires.clear, wires.secure];
      const areObserved = async () => devices.every(({ token }) => token !== '');
      await eventually(areObserved, (isSo) => isSo, START_MS);
      return new DatagramBench(server, admin, wires);
    } catch (error) {
      await server.kill();
      throw error;
    }
  }

  /** Mutated datagrams of every kind in turn; after each batch the next good request has to be answered. */
  async besiege(count: number): Promise<Siege> {
    const random = seeded(20_261_124);
    const kinds = kindsOf(this.#wires, random);
    const { clear, secure } = this.#wires;
    const byKind = new Map(kinds.map(({ name }) => [name, 0]));
    const wrong: string[] = [];
    const before = await this.#megabytes();
    let most = before;
    for (let sent = 0; sent < count;) {
      const kind = kinds[Math.floor(sent / BATCH) % kinds.length];
      if (!kind) break;
      const end = Math.min(count, sent + BATCH);
      while (sent < end) {
        const seed = await kind.seed();
        for (let each = 0; each < ALIKE && sent < end; each += 1, sent += 1) {
          kind.send(mutant(random, seed));
          if (sent % PIECE === PIECE - 1) await sleep(5);
        }
      }
      byKind.set(kind.name, (byKind.get(kind.name) ?? 0) + BATCH);
      for (const peer of this.#strangers) peer.received.length = 0;
      // A mutant may be a true de-registration, or have had the id of the next request by chance.
      const isAnswered = async (device: KnownDevice) =>
        (await device.updates()) || (await device.registers()) || device.registers();
      for (const [name, device] of Object.entries({ clear, secure }))
        if (!(await isAnswered(device)))
          wrong.push(`after ${sent}, ${kind.name}: a true request ${name} is not answered`);
      most = Math.max(most, await this.#megabytes());
      if (this.#isGone()) {
        wrong.push(`after ${sent}: the process ended`);
        break;
      }
    }
    return {
      byKind,
      growthMb: most - before,
      amplification: amplification(this.#strangers),
      wrong,
    };
  }

  /** REST calls, and Registers of unknown names meanwhile; none at 0. */
  async flood(perSecond: number, seconds: number): Promise<Flood> {
    const { length } = this.#server.output;
    const port = String(this.#server.lwm2mPort);
    const script = fileURLToPath(new URL('./flood.ts', import.meta.url));
    const flooding = perSecond > 0 ? startProcess([script, port, String(perSecond)]) : null;
    await flooding?.line(/flooding/);
    const times: number[] = [];
    const end = performance.now() + seconds * 1_000;
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        while (performance.now() < end) {
          const began = performance.now();
          await this.#admin.data('/api/v3/manager/device/list', {});
          times.push(performance.now() - began);
          await sleep(10);
        }
      }),
    );
    await flooding?.stop();
    const p95 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN;
    const sent = Number(flooding?.output.at(-1) ?? 0);
    const lines = this.#server.output.length - length;
    return { perSecond: sent, p95, calls: times.length, lines };
  }

  async close(): Promise<void> {
    const { clear, secure, strangers } = this.#wires;
    for (const each of [clear, secure, strangers.clear, strangers.secure]) each.close();
    await this.#server.stop();
  }

  #isGone(): boolean {
    try {
      return !process.kill(this.#server.pid, 0);
    } catch {
      return true;
    }
  }

  async #megabytes(): Promise<number> {
    const status = await readFile(`/proc/${this.#server.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
  }
}
