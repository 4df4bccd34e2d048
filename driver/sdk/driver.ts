import type { EntityStatus, Payload } from '../../src/bus/topics.ts';

type Registration = Payload<'svc.e.driver_register'>;
type DeviceMessage = Extract<Payload<'svc.e.metadata'>, { kind: 'device' }>;
type Peer = NonNullable<Payload<'svc.e.state'>['devices'][number]['peer']>;

/** A device answers from another address than before; `id` is the reference of the alarm about it. */
type HostChange = NonNullable<Peer['change']>;

export type Attribute = Registration['driverAttributes'][number];
/** A device with its tenant, configs by attribute code and points. */
export type DriverDevice = DeviceMessage['device'] & { tenantId: string; driverId: string };
export type DriverPoint = DriverDevice['points'][number];
/** A custom command of the device's profile, with its configs by attribute code. */
export type DriverCommand = NonNullable<DriverDevice['commands']>[number];

/** What a device said: the raw value as text, before scaling. */
export type Reading = {
  rawValue: string;
  originTime: number;
  /** The device answered something that is no value of the point's type: stored as BAD, without text. */
  invalid?: true;
  /** Why there is no value, in words for people. */
  issue?: string;
  /** Why the value must not be taken for certain, in words for people. */
  doubt?: string;
};

export type Doubt = { code: string; message: string };

/** What the host offers a running driver. */
export type DriverHost = {
  /** All devices known now, by device id. */
  devices(): ReadonlyMap<string, DriverDevice>;
  /** Whether that is all of them: false until the platform has answered the registration. */
  synced(): boolean;
  /** A value the device sent on its own (notification): scaled and published by the host. */
  report(device: DriverDevice, point: DriverPoint, reading: Reading): void;
  /**
   * Raises an alarm of the platform about a device; resolves once it cannot be lost any more. The same
   * `reference` is one alarm; the platform sends it back with the device once a person confirmed it.
   */
  alarm(
    device: DriverDevice,
    what: { message: string; reference: string; occurTime: number },
  ): Promise<void>;
  /** A device came, went or failed: published at once instead of with the next heartbeat. */
  stateChanged(device: DriverDevice): void;
};

/**
 * A protocol. The host does registration, schedule, leases, scaling, commands, at-most-once and
 * read-back; a driver only speaks to devices. Every wait ends by `deadline` (ms since epoch).
 */
export type Driver = {
  /** Stable routing identifier (docs/specification/objects.md, Driver). Never changes. */
  code: string;
  name: string;
  type: Registration['driverType'];
  driverAttributes: readonly Attribute[];
  pointAttributes: readonly Attribute[];
  commandAttributes?: readonly Attribute[];
  eventAttributes?: readonly Attribute[];
  /** Quartz cron (docs/specification/drivers.md, Cron strings), e.g. `0/30 * * * * ?`. */
  readCron: string;
  customCron?: string;
  start(host: DriverHost): Promise<void>;
  deviceChanged?(device: DriverDevice): void;
  deviceRemoved?(device: DriverDevice): void;
  /**
   * How long ago (ms) the device registered at, or was last heard by, this copy; null while it is not
   * registered here. A driver without it is one of which any copy can serve any device.
   */
  heldMs?(device: DriverDevice): number | null;
  /**
   * The address, without its port, that the device registered from at this copy, and the last change of
   * it; null while it is not registered here. For protocols in which nothing else tells devices apart.
   */
  peer?(device: DriverDevice): { host: string; change: HostChange | null } | null;
  /** The last change of the address, also one between two copies: seen by neither, and by the center. */
  peerChanged?(device: DriverDevice, change: HostChange): void;
  /** The device registered at another copy later: what this one holds of it is void. */
  taken?(device: DriverDevice): void;
  status(device: DriverDevice): { status: EntityStatus; description: string };
  /**
   * Why what this device says must not be taken for verified, in words; null when there is no doubt.
   * Its writes are UNVERIFIED for that time, and its readings say the doubt.
   */
  doubt?(device: DriverDevice): Doubt | null;
  /** Throws `DriverFailure`. */
  read(device: DriverDevice, point: DriverPoint, deadline: number): Promise<Reading>;
  /** `raw` is the value after inverse scaling. Resolves when the device said yes; throws `DriverFailure`. */
  write(device: DriverDevice, point: DriverPoint, raw: string, deadline: number): Promise<void>;
  /**
   * Executes a custom command, its parameters checked and complete; answers values by name. Throws
   * `DriverFailure`. A driver without it answers every call with UNSUPPORTED.
   */
  call?(
    device: DriverDevice,
    command: DriverCommand,
    params: Readonly<Record<string, string>>,
    deadline: number,
  ): Promise<Record<string, string>>;
  custom?(): Promise<void>;
  stop(): Promise<void>;
};

/** `UNKNOWN`: the device may have done it, only its answer is missing. */
export class DriverFailure extends Error {
  override readonly name = 'DriverFailure';
  readonly code: string;
  readonly outcome: 'FAILED' | 'UNKNOWN';

  constructor(
    code: string,
    message: string,
    outcome: 'FAILED' | 'UNKNOWN' = 'FAILED',
    cause?: unknown,
  ) {
    super(message, { cause });
    this.code = code;
    this.outcome = outcome;
  }
}
