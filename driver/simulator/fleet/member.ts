import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/log/log.ts';
import type { DeviceEvent, SimulatedDevice } from '../contract.ts';
import { startDevice } from '../device.ts';
import { newFlash } from '../firmware.ts';
import type { Counts } from './counts.ts';
import { type Chances, createFaults } from './fault.ts';
import { pskOf } from './identity.ts';
import { createNetwork, type Network } from './network.ts';
import { createDice } from './random.ts';

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
  happened?: (endpoint: string, what: 'on' | 'heard' | 'rebind' | 'off' | 'outage') => void;
};

type Server = { host: string; port: number };

/** One device of a fleet over its reboots. */
export type Member = {
  isRegistered(): boolean;
  /** Number of resources that a server observes. */
  observed(): number;
  /** Begins the faults of its next turn. */
  turn(): void;
  /** Adds what it was asked since the last call. */
  account(): void;
  stop(): Promise<void>;
};

const STORM_EVERY_MS = 200;
const BOOT_AGAIN_MS = 1_000;
/** A lost de-registration is sent again after 2 to 3 s, and after 4 to 6 s more. */
const PATIENCE_MS = 10_000;

// oxlint-disable-next-line max-lines-per-function
export async function startMember(
  endpoint: string,
  options: MemberOptions,
  counts: Counts,
  clock: Clock = systemClock,
): Promise<Member> {
  const { seed, servers, lifetimeS, isSecure, queue } = options;
  const faults = createFaults(seed, endpoint, options.chances);
  const network = createNetwork(options.network, { seed, endpoint, clock, counts });
  const psk = isSecure ? pskOf(seed, endpoint) : null;
  const log = createLog('silent');
  const routes = createDice(seed, endpoint, 'server');
  const sensor = options.sensorOf?.(endpoint) ?? ((measured: number) => measured);
  // Kept over reboots, as on a real device.
  const flash = options.firmware ? newFlash(options.firmware) : null;
  let setPoint =
    options.setPointOf?.(endpoint) ?? createDice(seed, endpoint, 'set-point').between(18, 24);
  let device: SimulatedDevice | null = null;
  let seen = { reads: 0, writes: 0, reboots: 0 };
  let isRegistered = false;
  let stopped = false;
  let stuck = { value: 0, turns: 0 };
  let clockErrorMs = 0;
  let stormLeft = 0;
  let cancelBoot: () => void = () => {};
  let cancelStorm: () => void = () => {};

  function onEvent({ event }: DeviceEvent): void {
    if (event === 'registered' || event === 'updated') options.happened?.(endpoint, 'heard');
    if (event === 'registered') {
      counts.registrations += 1;
      isRegistered = true;
    }
    if (event === 'updated') counts.updates += 1;
    if (event === 'sent') counts.sends += 1;
    if (event === 'reboot') counts.reboots += 1;
    if (event === 'refused' || event === 'unreachable') {
      counts[event] += 1;
      isRegistered = false;
    }
    if (event === 'de-registered') {
      counts.deregistered += 1;
      isRegistered = false;
    }
  }

  /** What the device holds after it accepted a write. */
  function hold(asked: number): number {
    if (faults.lies()) counts.lies += 1;
    else setPoint = asked;
    return setPoint;
  }

  async function boot(): Promise<void> {
    stuck.turns = 0;
    clockErrorMs = 0;
    const server = servers[routes.between(0, servers.length - 1)];
    if (!server) throw new Error('the devices have no server');
    const booted = await startDevice({
      endpoint,
      server,
      lifetimeS,
      log,
      clock,
      onEvent,
      setPoint,
      patienceMs: PATIENCE_MS,
      hold,
      network: network.attach,
      sensor: (measured) => (stuck.turns > 0 ? stuck.value : sensor(measured)),
      time: () => clock.now() + clockErrorMs,
      ...(psk && { psk }),
      ...(flash && { firmware: { flash } }),
      ...(queue && { queue }),
    });
    if (stopped) booted.vanish();
    else device = booted;
    options.happened?.(endpoint, 'on');
    seen = { reads: 0, writes: 0, reboots: 0 };
  }

  function account(): void {
    if (!device) return;
    const { reads, writes, reboots } = device.requests;
    counts.reads += reads - seen.reads;
    counts.writes += writes - seen.writes;
    seen = { reads, writes, reboots };
  }

  /** Off without a word to the server; then on again behind another port. */
  function turnOff(offMs: number): void {
    account();
    device?.vanish();
    device = null;
    isRegistered = false;
    stormLeft = 0;
    bootIn(offMs);
  }

  function bootIn(ms: number): void {
    cancelBoot = clock.after(ms, () => {
      boot().catch(() => {
        if (!stopped) bootIn(BOOT_AGAIN_MS);
      });
    });
  }

  function storm(): void {
    cancelStorm();
    if (stormLeft === 0) return;
    stormLeft -= 1;
    device?.registerAnew();
    cancelStorm = clock.after(STORM_EVERY_MS, storm);
  }

  await boot();
  return {
    isRegistered: () => isRegistered,
    observed: () => device?.observed() ?? 0,
    account,
    turn() {
      const { stuckTurns, rebootMs, outageLifetimes, ...begun } = faults.turn();
      const { storm: registrations, clockErrorMs: error } = begun;
      if (stuck.turns > 0) stuck.turns -= 1;
      if (!device) return;
      if (stuckTurns !== null && stuck.turns === 0) {
        counts.stuck += 1;
        stuck = { value: device.temperature(), turns: stuckTurns };
      }
      if (error !== null) {
        counts.clocks += 1;
        clockErrorMs = error;
      }
      if (registrations !== null && stormLeft === 0) {
        counts.storms += 1;
        stormLeft = registrations;
        storm();
      }
      if (begun.rebinds) {
        counts.rebinds += 1;
        network.rebind();
        options.happened?.(endpoint, 'rebind');
      }
      if (outageLifetimes !== null) {
        counts.outages += 1;
        options.happened?.(endpoint, 'outage');
        turnOff(outageLifetimes * lifetimeS * 1_000);
      } else if (rebootMs !== null) {
        counts.reboots += 1;
        options.happened?.(endpoint, 'off');
        turnOff(rebootMs);
      }
    },
    async stop() {
      stopped = true;
      cancelBoot();
      cancelStorm();
      account();
      await device?.stop();
      isRegistered = false;
    },
  };
}
