import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import { CoapFailure, type CoapReply, type CoapRequest, type Peer } from '../../coap/contract.ts';
import { Code } from '../../coap/message/message.ts';
import type { DriverHost } from '../../sdk/driver.ts';
import { type Account, accountOf } from './account.ts';
import { giveAccount } from './bootstrap-steps.ts';
import type { Lwm2mPorts } from './ports.ts';
import type { PskIndex } from './psk-index.ts';

type Head = Omit<CoapRequest, 'payload'>;

/** The answer to the request goes first. */
const AFTER_ANSWER_MS = 100;
/** For each request to the device. */
const STEP_MS = 20_000;
const MAX_RUNNING = 256;
const PREFERRED = /^pct=(\d{1,5})$/;

type Bootstrap = { session: string; isRunning: boolean; text: string };

type Parts = {
  host: Pick<DriverHost, 'devices' | 'stateChanged'>;
  psk: Pick<PskIndex, 'useOf'>;
  /** Null while they are not open. */
  ports: () => Pick<Lwm2mPorts, 'request'> | null;
  clock: Clock;
  log: Log;
};

/** Moves devices from the key of their factory to their own (OMA Core 1.1, 6.1: client-initiated bootstrap). */
export class Bootstraps {
  readonly #parts: Parts;
  readonly #byDevice = new Map<string, Bootstrap>();
  readonly #timers = new Set<() => void>();
  #running = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether a request is one for a bootstrap, or of a session that may do nothing else. */
  takes({ path, peer }: Head): boolean {
    return isBootstrap(path) || this.#isOfFactory(peer);
  }

  /** The code that refuses such a request, or null. */
  refusalBefore({ path, method, peer }: Head): number | null {
    if (!isBootstrap(path)) return Code.FORBIDDEN;
    if (!this.#isOfFactory(peer)) return peer.proven ? Code.FORBIDDEN : Code.NOT_FOUND;
    return method === 'POST' ? null : Code.METHOD_NOT_ALLOWED;
  }

  /** Answers Bootstrap-Request; the device is written to after the answer. */
  answer({ peer, query }: CoapRequest): CoapReply {
    const { host, clock } = this.#parts;
    const device = peer.proven && host.devices().get(peer.proven.deviceId);
    if (!peer.proven || !device) return { code: Code.FORBIDDEN };
    const names = query.filter((item) => item.startsWith('ep='));
    // Optional: the key says already which device this is.
    if (names.some((name) => name !== `ep=${device.configs['endpoint'] ?? ''}`))
      return { code: Code.BAD_REQUEST };
    const former = this.#byDevice.get(device.id);
    if (former?.isRunning && former.session === peer.proven.session) return { code: Code.CHANGED };
    const account = accountOf(device);
    const bootstrap = { session: peer.proven.session, isRunning: false, text: '' };
    if ('problem' in account || this.#running >= MAX_RUNNING) {
      if ('problem' in account) {
        this.#byDevice.set(device.id, bootstrap);
        this.#say(device.id, bootstrap, `the bootstrap was refused: ${account.problem}`);
      }
      return { code: Code.SERVICE_UNAVAILABLE };
    }
    this.#running += 1;
    bootstrap.isRunning = true;
    this.#byDevice.set(device.id, bootstrap);
    this.#say(device.id, bootstrap, 'the device is given its own key');
    const formats = query.flatMap((item) => PREFERRED.exec(item)?.[1] ?? []);
    const preferred = formats[0] === undefined ? null : Number(formats[0]);
    const cancel = clock.after(AFTER_ANSWER_MS, () => {
      this.#timers.delete(cancel);
      void this.#run(device.id, bootstrap, { peer, account, preferred });
    });
    this.#timers.add(cancel);
    return { code: Code.CHANGED };
  }

  /** What came of the last bootstrap of a device, as text for people; null before one. */
  stateOf(deviceId: string): string | null {
    return this.#byDevice.get(deviceId)?.text ?? null;
  }

  /** The device is registered, or gone. */
  forget(deviceId: string): void {
    this.#byDevice.delete(deviceId);
  }

  close(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    this.#byDevice.clear();
  }

  readonly #isOfFactory = ({ proven }: Peer): boolean => {
    return (
      proven?.mark !== undefined &&
      this.#parts.psk.useOf(proven.deviceId, proven.mark) === 'factory'
    );
  };

  #say(deviceId: string, bootstrap: Bootstrap, text: string): void {
    const { host } = this.#parts;
    // A later one of the device has the word.
    if (this.#byDevice.get(deviceId) !== bootstrap) return;
    bootstrap.text = text;
    const device = host.devices().get(deviceId);
    if (device) host.stateChanged(device);
  }

  async #run(
    deviceId: string,
    bootstrap: Bootstrap,
    { peer, account, preferred }: { peer: Peer; account: Account; preferred: number | null },
  ): Promise<void> {
    const { ports, clock, log } = this.#parts;
    try {
      const problem = await giveAccount(
        (request) => {
          const open = ports();
          // A device that began anew gets nothing of the former sequence.
          if (!open || this.#byDevice.get(deviceId) !== bootstrap) throw new CoapFailure('closed');
          return open.request(peer, { ...request, deadline: clock.now() + STEP_MS });
        },
        account,
        preferred,
      );
      if (problem === null) log.info({ deviceId }, 'a device was given its own key');
      else log.warn({ deviceId, problem }, 'a bootstrap failed');
      this.#say(
        deviceId,
        bootstrap,
        problem ?? 'the device was given its own key, and has to register with it',
      );
    } catch (error) {
      if (!(error instanceof CoapFailure)) log.error({ deviceId, error }, 'a bootstrap failed');
      this.#say(deviceId, bootstrap, 'the bootstrap was interrupted: the device does not answer');
    } finally {
      bootstrap.isRunning = false;
      this.#running -= 1;
    }
  }
}

const isBootstrap = ([root, ...more]: readonly string[]): boolean =>
  root === 'bs' && more.length === 0;
