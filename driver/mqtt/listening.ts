import type { PackageContext } from '../package/context.ts';
import { isBound, problemOf } from '../report/bound.ts';
import { Shares } from '../report/shares.ts';
import {
  type Driver,
  type DriverDevice,
  DriverFailure,
  type DriverHost,
  type DriverPoint,
} from '../sdk/driver.ts';
import { offline } from '../sdk/failure.ts';
import { bind, type BoundDevice, type BoundEvent, type BoundPoint } from './binding.ts';
import type { Message, Outgoing } from './broker/connection.ts';
import { Calls } from './calls.ts';
import { DeviceState } from './device-state.ts';
import { happeningsIn } from './happenings.ts';
import { identityOf, type Line, Lines } from './lines.ts';
import { type PointReading, readingsOf } from './reading.ts';
import { keyOf, type RequestParts, Requests } from './requests.ts';
import { SeenIds } from './seen-ids.ts';
import { brokerGuard } from './socket.ts';

/** What a message at a filter is for. */
type Target =
  | { listener: Listener; kind: 'status' | 'reply' }
  | { listener: Listener; kind: 'event'; events: BoundEvent[] }
  | { listener: Listener; kind: 'value'; points: BoundPoint[] };
type Use = { line: Line<Target>; subscription: string; filter: string; target: Target };

/** A device that this node serves, with what is listened for. */
type Listener = {
  bound: BoundDevice;
  state: DeviceState;
  seen: SeenIds;
  uses: Use[];
  /** The way out for what is sent to the device. */
  line: Line<Target>;
  /** By point id: when it last reported, by the monotonic clock. */
  reported: Map<string, number>;
};

type Context = PackageContext & { egressAllow: readonly string[] };

/** The devices of a started driver: what they send, and what is sent to them. */
export class Listening {
  readonly #host: DriverHost;
  readonly #context: Context;
  readonly #lines: Lines<Target>;
  readonly #shares = new Shares();
  readonly #listeners = new Map<string, Listener>();
  readonly requests: Requests;
  readonly calls: Calls;

  static async open(host: DriverHost, context: Context): Promise<Listening> {
    return new Listening(host, context, await identityOf(context.dataDir));
  }

  private constructor(host: DriverHost, context: Context, identity: string) {
    this.#host = host;
    this.#context = context;
    const { clock, log, egressAllow } = context;
    this.#lines = new Lines({
      guard: brokerGuard(egressAllow),
      shares: this.#shares,
      identity,
      take: (targets, message) => this.#take(targets, message),
      changed: (line) => this.#lineChanged(line),
      clock,
      log,
    });
    const parts: RequestParts = {
      clock,
      bound: (device) => this.#listenerOf(device).bound,
      send: (device, message, deadline) => this.#send(device, message, deadline),
    };
    this.requests = new Requests(parts);
    this.calls = new Calls(parts, this.requests.replies);
  }

  /** Listens for a device as its settings say now, if this node serves it or shares its values with others. */
  changed(device: DriverDevice): void {
    const known = this.#listeners.get(device.id);
    this.#forget(device.id);
    try {
      if (device.enabled && this.#isWanted(device)) this.#listen(device, known?.state);
    } catch (error) {
      // `status` says so.
      if (!(error instanceof DriverFailure)) throw error;
    }
    void this.#lines.closeUnused();
  }

  removed({ id }: DriverDevice): void {
    this.#forget(id);
    void this.#lines.closeUnused();
  }

  status(device: DriverDevice): ReturnType<Driver['status']> {
    if (!device.enabled) return { status: 'OFFLINE', description: 'disabled' };
    const listener = this.#listeners.get(device.id);
    if (!listener) {
      const why = problemOf(() => void bind(device)) ?? 'not listened for at this node yet';
      return { status: 'OFFLINE', description: why };
    }
    const { bound, state, uses, line: own } = listener;
    for (const { connection } of [own, ...uses.map(({ line }) => line)])
      if (connection.problem !== null) return unknown(`the broker is ${connection.problem}`);
    for (const { line, subscription } of uses) {
      const refusal = line.connection.refusalOf(subscription);
      if (refusal !== null) return unknown(`the broker refuses ${subscription}: ${refusal}`);
    }
    return state.status(bound);
  }

  reportedMs(device: DriverDevice, point: DriverPoint): number | null {
    const at = this.#listeners.get(device.id)?.reported.get(point.id);
    return at === undefined ? null : this.#context.clock.elapsed() - at;
  }

  async stop(): Promise<void> {
    await this.#lines.close();
  }

  #isWanted(device: DriverDevice): boolean {
    return this.#host.serves(device) || (device.configs['sharedGroup'] ?? '') !== '';
  }

  #listenerOf(device: DriverDevice): Listener {
    const listener = this.#listeners.get(device.id);
    if (listener) return listener;
    bind(device);
    throw offline('the device is not listened for at this node');
  }

  #listen(device: DriverDevice, before: DeviceState | undefined): void {
    const bound = bind(device);
    const isVersion5 = bound.settings.protocol === '5';
    const lineFor = (isKept: boolean) => this.#lines.of(device, isVersion5, isKept);
    const points = [...bound.points.values()].filter(isBound);
    const readable = points.filter(({ point }) => point.rw !== 'WRITE_ONLY');
    const isServed = this.#host.serves(device);
    const listener: Listener = {
      bound,
      state: before ?? new DeviceState(this.#context.clock),
      seen: new SeenIds(),
      uses: [],
      // What a broker stores for is late by design: commands go by it only where there is no other.
      line: lineFor(readable.length > 0 && readable.every(({ timePath }) => timePath !== null)),
      reported: new Map(),
    };
    const use = (line: Line<Target>, filter: string, target: Target, group = ''): void => {
      const subscription = group === '' ? filter : `$share/${group}/${filter}`;
      line.listen(subscription, filter, target);
      listener.uses.push({ line, subscription, filter, target });
    };
    const { sharedGroup: group } = bound.settings;
    for (const isTimed of [true, false]) {
      const those = readable.filter(({ timePath }) => (timePath !== null) === isTimed);
      for (const [filter, at] of Map.groupBy(those, (point) => point.filter))
        use(lineFor(isTimed), filter, { listener, kind: 'value', points: at }, group);
      const happens = bound.events
        .filter(isBound)
        .filter(({ settings: { timePath } }) => (timePath !== null) === isTimed);
      for (const [filter, events] of Map.groupBy(happens, (event) => event.filter))
        use(lineFor(isTimed), filter, { listener, kind: 'event', events }, group);
    }
    if (isServed) {
      if (bound.statusTopic) use(listener.line, bound.statusTopic, { listener, kind: 'status' });
      const answered = [...points, ...[...bound.commands.values()].filter(isBound)];
      for (const replyTopic of new Set(answered.map((each) => each.replyTopic)))
        if (replyTopic) use(listener.line, replyTopic, { listener, kind: 'reply' });
    }
    listener.line.hold();
    this.#listeners.set(device.id, listener);
  }

  #forget(deviceId: string): void {
    const listener = this.#listeners.get(deviceId);
    for (const { line, subscription, filter, target } of listener?.uses ?? [])
      line.leave(subscription, filter, target);
    listener?.line.release();
    this.#listeners.delete(deviceId);
  }

  #lineChanged(line: Line<Target>): void {
    for (const { bound, uses, state, line: own } of this.#listeners.values()) {
      if (own !== line && !uses.some((use) => use.line === line)) continue;
      if (line.connection.problem !== null) {
        state.disconnected();
        this.requests.gone(bound.device);
      }
      this.#host.stateChanged(bound.device);
    }
  }

  async #send(device: DriverDevice, message: Outgoing, deadline: number): Promise<void> {
    const { line, bound, state } = this.#listenerOf(device);
    const { status, description } = state.status(bound);
    // Its last will is proof; silence is none.
    if (bound.statusTopic && status === 'OFFLINE')
      throw offline(`the device is offline: ${description}`);
    await line.connection.publish(message, deadline);
  }

  /** Resolves once the values of the message cannot be lost any more. */
  async #take(targets: readonly Target[], message: Message): Promise<void> {
    const now = this.#context.clock.now();
    const found: { listener: Listener; readings: PointReading[]; id: string | null }[] = [];
    for (const target of targets) {
      const { listener } = target;
      if (target.kind === 'reply') this.requests.replies.take(message);
      if (target.kind === 'status')
        this.#noted(listener, () => listener.state.takeStatus(message, listener.bound));
      if (target.kind === 'event') await this.#happened(target, message);
      if (target.kind !== 'value') continue;
      const { settings } = listener.bound;
      const { readings, id, leftOut } = readingsOf(message, target.points, { settings, now });
      if (leftOut > 0) this.#noted(listener, () => listener.state.leftOut(leftOut));
      if (!message.isRetained) this.#noted(listener, () => listener.state.heard());
      if (id !== null && listener.seen.has(id)) continue;
      found.push({
        listener,
        id,
        readings: readings.filter((each) => !this.#isAnswer(listener, message, each)),
      });
    }
    await this.#deliver(found);
  }

  async #deliver(
    found: { listener: Listener; readings: PointReading[]; id: string | null }[],
  ): Promise<void> {
    const reports = found.flatMap(({ listener: { bound }, readings }) =>
      readings.map((each) => ({
        device: bound.device,
        point: each.bound.point,
        reading: each.reading,
      })),
    );
    const [first] = reports;
    if (first) {
      const { tenantId } = first.device;
      this.#shares.take(tenantId, reports.length);
      try {
        await this.#host.deliver(reports);
      } finally {
        this.#shares.free(tenantId, reports.length);
      }
    }
    for (const { listener, id } of found) if (id !== null) listener.seen.add(id);
  }

  /** Resolves once the events cannot be lost any more. */
  async #happened(
    { listener, events }: Extract<Target, { kind: 'event' }>,
    message: Message,
  ): Promise<void> {
    const { device } = listener.bound;
    if (!message.isRetained) this.#noted(listener, () => listener.state.heard());
    const all = happeningsIn(message, events, this.#context.clock.now());
    this.#shares.take(device.tenantId, all.length);
    try {
      for (const one of all) await this.#host.happened(device, one);
    } finally {
      this.#shares.free(device.tenantId, all.length);
    }
  }

  /** Whether a command under way answers with the value, and so reports it. */
  #isAnswer(
    { bound, reported }: Listener,
    { isRetained }: Message,
    { bound: { point }, reading }: PointReading,
  ): boolean {
    if (isRetained) return false;
    reported.set(point.id, this.#context.clock.elapsed());
    return this.requests.expected.offer(keyOf(bound.device, point), reading);
  }

  /** Reports a changed state at once. */
  #noted({ bound, state }: Listener, change: () => void): void {
    const before = state.status(bound).status;
    change();
    const now = state.status(bound).status;
    if (now === before) return;
    if (now === 'OFFLINE') this.requests.gone(bound.device);
    this.#host.stateChanged(bound.device);
  }
}

const unknown = (why: string): ReturnType<Driver['status']> => ({
  status: 'OFFLINE',
  description: `its state is not known: ${why}`,
});
