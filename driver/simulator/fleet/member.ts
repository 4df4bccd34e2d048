import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import type { DeviceEvent, SimulatedDevice } from '../contract.ts';
import { startDevice } from '../device.ts';
import { type Flash, newFlash } from '../firmware.ts';
import type { Counts } from './counts.ts';
import { type Chances, createFaults, type Faults, type Turn } from './fault.ts';
import { pskOf } from './identity.ts';
import { createNetwork, type DeviceNetwork, type Network } from './network.ts';
import { createDice, type Dice } from './random.ts';

export type MemberOptions = {
  /** At each start a device takes one of them by its dice. */
  servers: readonly Server[];
  lifetimeS: number;
  seed: string;
  isSecure: boolean;
  network: Network;
  chances: Chances;
  /** The version that it runs, of a device with firmware to update. */
  firmware?: string | null;
  queue: { awakeMs: number } | null;
  /** What all sensors of this name show for what is there, and the set-point that it begins with. */
  sensorOf?: (endpoint: string) => (measured: number) => number;
  setPointOf?: (endpoint: string) => number;
  /**
   * Each start of a device, each answer to its Register or Update, each change of its port on the way, and each time that
   * it is off, for less or more than its registration lasts.
   */
  happened?: (endpoint: string, what: Happened) => void;
};

type Happened = 'on' | 'heard' | 'rebind' | 'off' | 'outage';
type Server = { host: string; port: number };

const STORM_EVERY_MS = 200;
const BOOT_AGAIN_MS = 1_000;
/** A lost de-registration is sent again after 2 to 3 s, and after 4 to 6 s more. */
const PATIENCE_MS = 10_000;

/** One device of a fleet over its reboots. */
export class Member {
  readonly #endpoint: string;
  readonly #options: MemberOptions;
  readonly #counts: Counts;
  readonly #clock: Clock;
  readonly #faults: Faults;
  readonly #network: DeviceNetwork;
  readonly #routes: Dice;
  readonly #sensor: (measured: number) => number;
  // Kept over reboots, as on a real device.
  readonly #flash: Flash | null;
  #setPoint: number;
  #device: SimulatedDevice | null = null;
  #seen = { reads: 0, writes: 0 };
  #isRegistered = false;
  #stopped = false;
  #stuck = { value: 0, turns: 0 };
  #clockErrorMs = 0;
  #stormLeft = 0;
  #cancelBoot: () => void = () => {};
  #cancelStorm: () => void = () => {};

  constructor(endpoint: string, options: MemberOptions, counts: Counts, clock: Clock) {
    const { seed, chances, firmware, sensorOf, setPointOf } = options;
    this.#endpoint = endpoint;
    this.#options = options;
    this.#counts = counts;
    this.#clock = clock;
    this.#faults = createFaults(seed, endpoint, chances);
    this.#network = createNetwork(options.network, { seed, endpoint, clock, counts });
    this.#routes = createDice(seed, endpoint, 'server');
    this.#sensor = sensorOf?.(endpoint) ?? ((measured: number) => measured);
    this.#flash = firmware ? newFlash(firmware) : null;
    this.#setPoint =
      setPointOf?.(endpoint) ?? createDice(seed, endpoint, 'set-point').between(18, 24);
  }

  async boot(): Promise<void> {
    const { servers, lifetimeS, seed, isSecure, queue } = this.#options;
    this.#stuck.turns = 0;
    this.#clockErrorMs = 0;
    const server = servers[this.#routes.between(0, servers.length - 1)];
    if (!server) throw new Error('the devices have no server');
    const booted = await startDevice({
      endpoint: this.#endpoint,
      server,
      lifetimeS,
      log: createLog('silent'),
      clock: this.#clock,
      onEvent: this.#onEvent,
      setPoint: this.#setPoint,
      patienceMs: PATIENCE_MS,
      hold: this.#hold,
      network: this.#network.attach,
      sensor: (measured) => (this.#stuck.turns > 0 ? this.#stuck.value : this.#sensor(measured)),
      time: () => this.#clock.now() + this.#clockErrorMs,
      ...(isSecure && { psk: pskOf(seed, this.#endpoint) }),
      ...(this.#flash && { firmware: { flash: this.#flash } }),
      ...(queue && { queue }),
    });
    if (this.#stopped) booted.vanish();
    else this.#device = booted;
    this.#happened('on');
    this.#seen = { reads: 0, writes: 0 };
  }

  isRegistered(): boolean {
    return this.#isRegistered;
  }

  /** Number of resources that a server observes. */
  observed(): number {
    return this.#device?.observed() ?? 0;
  }

  /** Begins the faults of its next turn. */
  turn(): void {
    const turn = this.#faults.turn();
    if (this.#stuck.turns > 0) this.#stuck.turns -= 1;
    if (!this.#device) return;
    this.#disturb(this.#device, turn);
    const { rebootMs, outageLifetimes } = turn;
    if (outageLifetimes !== null) {
      this.#counts.outages += 1;
      this.#happened('outage');
      this.#turnOff(outageLifetimes * this.#options.lifetimeS * 1_000);
    } else if (rebootMs !== null) {
      this.#counts.reboots += 1;
      this.#happened('off');
      this.#turnOff(rebootMs);
    }
  }

  /** Adds what it was asked since the last call. */
  account(): void {
    if (!this.#device) return;
    const { reads, writes } = this.#device.requests;
    this.#counts.reads += reads - this.#seen.reads;
    this.#counts.writes += writes - this.#seen.writes;
    this.#seen = { reads, writes };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelBoot();
    this.#cancelStorm();
    this.account();
    await this.#device?.stop();
    this.#isRegistered = false;
  }

  #happened(what: Happened): void {
    this.#options.happened?.(this.#endpoint, what);
  }

  readonly #onEvent = ({ event }: DeviceEvent): void => {
    const counts = this.#counts;
    if (event === 'registered' || event === 'updated') this.#happened('heard');
    if (event === 'registered') {
      counts.registrations += 1;
      this.#isRegistered = true;
    }
    if (event === 'updated') counts.updates += 1;
    if (event === 'sent') counts.sends += 1;
    if (event === 'reboot') counts.reboots += 1;
    if (event === 'refused' || event === 'unreachable') {
      counts[event] += 1;
      this.#isRegistered = false;
    }
    if (event === 'de-registered') {
      counts.deregistered += 1;
      this.#isRegistered = false;
    }
  };

  /** What the device holds after it accepted a write. */
  readonly #hold = (asked: number): number => {
    if (this.#faults.lies()) this.#counts.lies += 1;
    else this.#setPoint = asked;
    return this.#setPoint;
  };

  /** Faults of a device that stays on. */
  #disturb(device: SimulatedDevice, { stuckTurns, clockErrorMs, storm, rebinds }: Turn): void {
    const counts = this.#counts;
    if (stuckTurns !== null && this.#stuck.turns === 0) {
      counts.stuck += 1;
      this.#stuck = { value: device.temperature(), turns: stuckTurns };
    }
    if (clockErrorMs !== null) {
      counts.clocks += 1;
      this.#clockErrorMs = clockErrorMs;
    }
    if (storm !== null && this.#stormLeft === 0) {
      counts.storms += 1;
      this.#stormLeft = storm;
      this.#storm();
    }
    if (rebinds) {
      counts.rebinds += 1;
      this.#network.rebind();
      this.#happened('rebind');
    }
  }

  #storm(): void {
    this.#cancelStorm();
    if (this.#stormLeft === 0) return;
    this.#stormLeft -= 1;
    this.#device?.registerAnew();
    this.#cancelStorm = this.#clock.after(STORM_EVERY_MS, () => this.#storm());
  }

  /** Off without a word to the server; then on again behind another port. */
  #turnOff(offMs: number): void {
    this.account();
    this.#device?.vanish();
    this.#device = null;
    this.#isRegistered = false;
    this.#stormLeft = 0;
    this.#bootIn(offMs);
  }

  #bootIn(ms: number): void {
    this.#cancelBoot = this.#clock.after(ms, () => {
      this.boot().catch(() => {
        if (!this.#stopped) this.#bootIn(BOOT_AGAIN_MS);
      });
    });
  }
}

export async function startMember(
  endpoint: string,
  options: MemberOptions,
  counts: Counts,
  clock: Clock = systemClock,
): Promise<Member> {
  const member = new Member(endpoint, options, counts, clock);
  await member.boot();
  return member;
}
