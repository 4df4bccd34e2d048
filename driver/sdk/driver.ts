import type { EntityStatus, Payload } from '../../src/bus/topic/topics.ts';

type Registration = Payload<'svc.e.driver_register'>;
type Registered = Payload<'svc.e.registered'>['devices'][number];
type DeviceMessage = Extract<Payload<'svc.e.metadata'>, { kind: 'device' }>;
type Firmware = Payload<'svc.e.firmware'>;
type FirmwareReport = Payload<'svc.e.firmware_report'>;
type Peer = NonNullable<Payload<'svc.e.state'>['devices'][number]['peer']>;

/** A changed address of a device; `id` is the reference of the alarm about it. */
type HostChange = NonNullable<Peer['change']>;

export type Attribute = Registration['driverAttributes'][number];
/** A device with its tenant, configs by attribute code and points. */
export type DriverDevice = DeviceMessage['device'] & { tenantId: string; driverId: string };
export type DriverPoint = DriverDevice['points'][number];
/** A custom command of the device's profile, with its configs by attribute code. */
export type DriverCommand = NonNullable<DriverDevice['commands']>[number];

/** An event of the device's profile, with its configs by attribute code. */
export type DriverEvent = NonNullable<DriverDevice['events']>[number];

/** Something that happened at a device, as it reports it. */
export type Happening = {
  /** Code of the event; type and level are those of the profile, INFO and LOW of an event that it does not have. */
  event: string;
  occurTime: number;
  params?: Readonly<Record<string, string>>;
  /** Text for people. */
  message?: string;
  /** What tells it from others of the event, the same at each delivery: one that comes again is stored once. */
  id?: string;
};

/** Answer of a device: the raw value as text, before scaling. */
export type Reading = {
  rawValue: string;
  originTime: number;
  /** The answer was no value of the point's type: stored as BAD, without text. */
  invalid?: true;
  /** Why there is no value, as text for people. */
  issue?: string;
  /** Why the value is uncertain, as text for people. */
  doubt?: string;
  /**
   * What tells it from other values of the point at its origin time, the same at each delivery: one that is
   * delivered again is stored once.
   */
  id?: string;
};

/** A value that a device sent by itself, with its device and point. */
export type Report = { device: DriverDevice; point: DriverPoint; reading: Reading };

export type Doubt = { code: string; message: string };

/** A device that listens for a while after it spoke, and sleeps otherwise. */
type Sleeper = {
  isAwake: boolean;
  /** How long a command waits for the device to wake. */
  commandLifeMs: number;
};

/** What a device said of itself when it registered. */
export type RegisteredDevice = Omit<Registered, 'tenantId' | 'deviceId'> & {
  device: Pick<DriverDevice, 'id' | 'tenantId'>;
};

/** An endpoint that no device has and that was refused. */
export type WaitingEndpoint = NonNullable<Payload<'svc.e.registered'>['waiting']>[number];

/** A UDP socket of a driver, as people see it: its name, and scheme, host and port of its address. */
export type Place = {
  name: string;
  scheme: string;
  host: string;
  port: number;
  /** What an operator has to know of it, for the text of a start. */
  note?: string;
};

/** What a device says of its firmware; null for what was not read. */
export type FirmwareSeen = Pick<FirmwareReport, 'state' | 'result' | 'version'>;
/** The last word on an update. */
export type FirmwareEnd = { end: NonNullable<FirmwareReport['end']>; message: string };

/** The last exchanges with a device, the oldest first. */
export type Trace = NonNullable<Payload<'svc.e.trace'>['trace']>;
export type TracedExchange = Trace['exchanges'][number];

/** An update of a device's firmware, of which an earlier run, perhaps of another node, may have done a part. */
export type FirmwareUpdate = {
  /** What the device is to run, as it says itself. */
  version: string;
  /** Where the device fetches the package; empty: its bytes are sent. */
  uri: string;
  /** What is known; the driver changes it before it does what it says. */
  known: Pick<
    Firmware,
    'phase' | 'versionBefore' | 'pushes' | 'executions' | 'answer' | 'session' | 'resultBefore'
  >;
  /** It ended without certainty: only what the device says is wanted, and the end where that proves one. */
  hasEnded: boolean;
  deadline: number;
  /** The bytes of the package. Throws `DriverFailure`. */
  image(): Promise<Buffer>;
  /** False once the driver stops. */
  isWanted(): boolean;
  /** Asks the platform, before anything is sent to the device, whether it may begin. Throws `DriverFailure`: it may not. */
  mayBegin(): Promise<void>;
  /** Stores at the platform what is known with an order that goes out next. Throws `DriverFailure`: it must not go out. */
  willOrder(): Promise<void>;
  /** Waits for the device without a place among the updates under way. */
  rest(waiting: Promise<void>): Promise<void>;
  /** Reports what is known and what the device says. */
  reported(seen: FirmwareSeen | null, message?: string): Promise<void>;
  /** Reports how many bytes the device has, now and then. */
  sent(bytes: number): void;
};

/** Functions that the host offers to a running driver. */
export type DriverHost = {
  /** All devices known now, by device id. */
  devices(): ReadonlyMap<string, DriverDevice>;
  /** Whether these are all devices: false until the platform has answered the registration. */
  synced(): boolean;
  /** Publishes, scaled, a value that the device sent on its own (notification). */
  report(device: DriverDevice, point: DriverPoint, reading: Reading): void;
  /**
   * The same for values that their source repeats until they are acknowledged: resolves once they cannot be lost any
   * more, rejects where they may be. Nothing is dropped: the driver bounds how many wait.
   */
  deliver(reports: readonly Report[]): Promise<void>;
  /** Whether this node serves the device: of several nodes one listens to what it sends. */
  serves(device: DriverDevice): boolean;
  /**
   * Raises an alarm of the platform about a device; resolves once the alarm cannot be lost any more. Calls
   * with one `reference` are one alarm; the platform returns it with the device after its confirmation.
   */
  alarm(
    device: DriverDevice,
    what: { message: string; reference: string; occurTime: number },
  ): Promise<void>;
  /** Reports an event of a device; resolves once it cannot be lost any more, rejects where it may be. */
  happened(device: DriverDevice, what: Happening): Promise<void>;
  /** Stores at the platform what devices registered; resolves once it cannot be lost any more. */
  registered(devices: readonly RegisteredDevice[]): Promise<void>;
  /** Reports at most 200 endpoints that were refused because no device has them. */
  waiting(endpoints: readonly WaitingEndpoint[]): Promise<void>;
  /** A device that sleeps between its reports is awake: what waits for it is sent, and its points are read. */
  woke(device: DriverDevice): void;
  /** Publishes the state of a device that came, went or failed at once, not with the next heartbeat. */
  stateChanged(device: DriverDevice): void;
};

/**
 * A protocol. The host does registration, schedule, leases, scaling, commands, at-most-once and read-back;
 * a driver only talks to devices. Every wait ends by `deadline` (ms since epoch).
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
  /**
   * When all points are read, unless SVC_DRIVER_READ_CRON says otherwise: a Quartz cron
   * (docs/specification/drivers.md, Cron strings), e.g. `0/30 * * * * ?`.
   */
  readCron: string;
  customCron?: string;
  start(host: DriverHost): Promise<void>;
  /** Where the started driver listens; without this method nowhere. */
  listening?(): readonly Place[];
  /** By code of an attribute of the driver: the only values that the started driver takes. */
  takes?(): Readonly<Record<string, readonly string[]>>;
  deviceChanged?(device: DriverDevice): void;
  deviceRemoved?(device: DriverDevice): void;
  /** Another node serves the device now, or this one: `DriverHost.serves` says which. */
  servingChanged?(device: DriverDevice): void;
  /**
   * Time (ms) since the device registered at, or last sent an update to, this copy; null while it is not
   * registered here. Without this method any copy of the driver can serve any device.
   */
  heldMs?(device: DriverDevice): number | null;
  /**
   * The address, without its port, that the device registered from at this copy, and its last change; null
   * while it is not registered here. For protocols in which only the address tells devices apart.
   */
  peer?(device: DriverDevice): { host: string; change: HostChange | null } | null;
  /** Takes the last change of address; the center also finds one between two copies. */
  peerChanged?(device: DriverDevice, change: HostChange): void;
  /** The device registered at another copy later: the registration at this copy is void. */
  taken?(device: DriverDevice): void;
  /**
   * Time (ms) since the device last reported the point by itself; null when it does not, and the point is read.
   */
  reportedMs?(device: DriverDevice, point: DriverPoint): number | null;
  /**
   * Whether the device sends the point by itself and cannot be asked for it: it is never read, and a command that
   * reads it fails. Without this method every point can be asked for.
   */
  reportsOnly?(device: DriverDevice, point: DriverPoint): boolean;
  status(device: DriverDevice): { status: EntityStatus; description: string };
  /** Whether the device sleeps between its reports; null, as without this method, for one that does not. */
  sleeper?(device: DriverDevice): Sleeper | null;
  /**
   * Why answers of this device must not count as verified, as text; null without doubt. While in doubt its
   * writes are UNVERIFIED and its readings carry the doubt.
   */
  doubt?(device: DriverDevice): Doubt | null;
  /** Throws `DriverFailure`. */
  read(device: DriverDevice, point: DriverPoint, deadline: number): Promise<Reading>;
  /**
   * Reads several points in few exchanges; answers the readings by point id. A point without one is read by itself.
   * Throws `DriverFailure` for a device that does not answer.
   */
  readMany?(
    device: DriverDevice,
    points: readonly DriverPoint[],
    deadline: number,
  ): Promise<ReadonlyMap<string, Reading>>;
  /** `raw` is the inversely scaled value. Resolves when the device accepted it; throws `DriverFailure`. */
  write(device: DriverDevice, point: DriverPoint, raw: string, deadline: number): Promise<void>;
  /**
   * What the device holds after a write of `raw`, from a report that it sent since: in place of `read`. Throws
   * `DriverFailure` where none came.
   */
  readBack?(
    device: DriverDevice,
    point: DriverPoint,
    raw: string,
    deadline: number,
  ): Promise<Reading>;
  /**
   * Executes a custom command; its parameters are checked and complete. Answers values by name; throws
   * `DriverFailure`. Without this method every call ends with UNSUPPORTED.
   */
  call?(
    device: DriverDevice,
    command: DriverCommand,
    params: Readonly<Record<string, string>>,
    deadline: number,
  ): Promise<Record<string, string>>;
  /**
   * Brings the firmware of a device to its end, beginning with what the device says of itself; null where it is to be
   * called again later. Throws `DriverFailure` for a device that cannot be reached now. Without this method every
   * update fails.
   */
  firmware?(device: DriverDevice, update: FirmwareUpdate): Promise<FirmwareEnd | null>;
  /** The last exchanges with the device, without secrets; without this method the driver stores none. */
  trace?(device: DriverDevice): Trace;
  custom?(): Promise<void>;
  stop(): Promise<void>;
};

/** The same in every copy of this module: a driver from a package brings its own. */
const FAILURE: unique symbol = Symbol.for('device-data-platform.DriverFailure');
/** Codes that mean silence unless a failure says otherwise. */
const SILENT: ReadonlySet<string> = new Set(['TIMEOUT', 'DEVICE_OFFLINE']);

/**
 * `UNKNOWN`: the device may have executed the request, only its answer is missing. `isSilent`: it answers nothing at all
 * now, so its other points are not asked for. `failure.ts` makes those that every protocol has.
 */
export class DriverFailure extends Error {
  override readonly name = 'DriverFailure';
  readonly [FAILURE] = true;
  readonly code: string;
  readonly outcome: 'FAILED' | 'UNKNOWN';
  readonly isSilent: boolean;

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && FAILURE in value;
  }

  constructor(
    code: string,
    message: string,
    outcome: 'FAILED' | 'UNKNOWN' = 'FAILED',
    cause?: unknown,
    isSilent: boolean = SILENT.has(code),
  ) {
    super(message, { cause });
    this.isSilent = isSilent;
    this.code = code;
    this.outcome = outcome;
  }
}
