import type { Socket } from 'node:dgram';

import type { Clock } from '../../src/kernel/clock.ts';
import type { Log } from '../../src/kernel/process/log.ts';
import type { FirmwareOptions } from './firmware.ts';
import type { Psk } from './secure-socket.ts';

/** Event of the simulated device; `main.ts` prints one line for each. */
export type DeviceEvent =
  | { event: 'registered'; location: string }
  | { event: 'updated' }
  | { event: 'refused'; code: string }
  | { event: 'unreachable' }
  | { event: 'set-point'; value: number }
  | { event: 'reboot' }
  | { event: 'power-cut' }
  | { event: 'sent'; values: string }
  | { event: 'de-registered' };

export type DeviceOptions = {
  endpoint: string;
  server: { host: string; port: number };
  lifetimeS: number;
  /** Speaks over DTLS with this key; without it in clear. */
  psk?: Psk;
  /** 0 or absent: a free port. */
  port?: number;
  log: Log;
  clock?: Clock;
  onEvent?: (event: DeviceEvent) => void;
  /** Set-point kept from an earlier run. */
  setPoint?: number;
  /** Set-point that the device holds after it accepted `asked`; by default the same. */
  hold?: (asked: number) => number;
  /** What the temperature sensor shows for what is there; by default the same. */
  sensor?: (measured: number) => number;
  /** Time of the device's own clock, sent with its values; by default they carry none. */
  time?: () => number;
  /** How long it waits for the answer to its de-registration. */
  patienceMs?: number;
  /** Has object 5; what it keeps over a loss of power is in its `flash`. */
  firmware?: FirmwareOptions;
  /** Queue mode: it listens for so long after it spoke, and sleeps otherwise. */
  queue?: { awakeMs: number };
  /** Puts a network in front of a socket that carries datagrams. */
  network?: (socket: Socket) => void;
};

export type SimulatedDevice = {
  port: number;
  setPoint(): number;
  temperature(): number;
  /** Numbers of reads, of those that were composite, of writes and executions. */
  requests: { reads: number; composite: number; writes: number; reboots: number };
  /** Number of resources that a server observes. */
  observed(): number;
  /** Whether it hears nothing now. */
  isAsleep(): boolean;
  /** Sends an update now, before its time. */
  wake(): void;
  /** Registers now, whether it is registered or not. */
  registerAnew(): void;
  /** Stops answering without a de-registration, like a device with an empty battery. */
  vanish(): void;
  /** De-registers (waiting a short while for the answer) and closes the socket. */
  stop(): Promise<void>;
};
