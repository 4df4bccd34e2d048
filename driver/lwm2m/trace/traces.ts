import type { Clock } from '../../../src/kernel/clock.ts';
import type { Peer } from '../../coap/contract.ts';

/** A payload as it is stored; `content` is its bytes as latin1, which take less than a Buffer, or null. */
export type StoredPayload = { format: number | null; bytes: number; content: string | null };

/** An exchange as it is stored; decoded when a person asks. It changes until it has ended. */
export type StoredExchange = {
  at: number;
  ms: number | null;
  from: 'PLATFORM' | 'DEVICE';
  /** Empty for a report. */
  method: string;
  /** Below the root that the device registered. */
  path: readonly string[];
  query: readonly string[];
  accept: number | null;
  observe: number | null;
  request: StoredPayload | null;
  code: number | null;
  answer: StoredPayload | null;
  failure: string;
  sent: number;
  repeated: number;
  times: number;
  peer: Peer;
};

/** Of each kind the last ones: reads do not displace what changed a device. */
const MOST = { change: 20, read: 20, report: 20, registration: 10, refusal: 8 } as const;
export type TraceKind = keyof typeof MOST;
const KINDS = [
  'change',
  'read',
  'report',
  'registration',
  'refusal',
] as const satisfies TraceKind[];

/** Of all devices; each has an equal share, so that the talk of one leaves those of the others. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_DEVICE_BYTES = 64 * 1024;
/** Of a payload: larger ones are named by their size alone. */
const MAX_PAYLOAD_BYTES = 1024;
const EXCHANGE_BYTES = 400;

type DeviceTrace = { kinds: Record<TraceKind, StoredExchange[]>; bytes: number; dropped: number };

/** Object 0 has the keys of the device, 21 those of OSCORE: their payloads are never stored. */
const KEYS: ReadonlySet<string> = new Set(['0', '21']);

/** What is stored of a payload at a path; null where there is none. */
export function storedOf(
  payload: Buffer | undefined,
  format: number | null,
  [object = '']: readonly string[],
): StoredPayload | null {
  const bytes = payload?.length ?? 0;
  if (!payload || bytes === 0) return null;
  const isStored = bytes <= MAX_PAYLOAD_BYTES && !KEYS.has(object);
  return { format, bytes, content: isStored ? payload.toString('latin1') : null };
}

/** The last exchanges with each device, in memory alone. */
export class Traces {
  readonly since: number;
  readonly #byDevice = new Map<string, DeviceTrace>();
  #share = MAX_DEVICE_BYTES;

  constructor(clock: Clock) {
    this.since = clock.now();
  }

  add(deviceId: string, kind: TraceKind, exchange: StoredExchange): void {
    const trace = this.#byDevice.get(deviceId) ?? this.#begin(deviceId);
    const same = trace.kinds[kind];
    const last = same.at(-1);
    if (kind === 'refusal' && last && isSameRefusal(last, exchange)) {
      last.times += 1;
      last.at = exchange.at;
      return;
    }
    same.push(exchange);
    trace.bytes += sizeOf(exchange);
    if (same.length > MOST[kind]) drop(trace, same);
    fit(trace, this.#share);
  }

  /** An exchange of the device ended. */
  end(
    deviceId: string,
    exchange: StoredExchange,
    ended: Pick<StoredExchange, 'ms' | 'code' | 'answer' | 'failure'>,
  ): void {
    const before = sizeOf(exchange);
    Object.assign(exchange, ended);
    const trace = this.#byDevice.get(deviceId);
    if (!trace || !KINDS.some((kind) => trace.kinds[kind].includes(exchange))) return;
    trace.bytes += sizeOf(exchange) - before;
    fit(trace, this.#share);
  }

  /** The oldest first. */
  of(deviceId: string): { dropped: number; exchanges: StoredExchange[] } {
    const trace = this.#byDevice.get(deviceId);
    if (!trace) return { dropped: 0, exchanges: [] };
    const exchanges = KINDS.flatMap((kind) => trace.kinds[kind]);
    return { dropped: trace.dropped, exchanges: exchanges.toSorted((a, b) => a.at - b.at) };
  }

  forget(deviceId: string): void {
    this.#byDevice.delete(deviceId);
  }

  #begin(deviceId: string): DeviceTrace {
    const kinds = { change: [], read: [], report: [], registration: [], refusal: [] };
    const trace = { kinds, bytes: 0, dropped: 0 };
    this.#byDevice.set(deviceId, trace);
    if (this.#byDevice.size > MAX_BYTES / this.#share) {
      this.#share = Math.floor(this.#share / 2);
      // Those that are silent give up what is above their share too.
      for (const one of this.#byDevice.values()) fit(one, this.#share);
    }
    return trace;
  }
}

const sizeOf = ({ request, answer, query }: StoredExchange): number =>
  EXCHANGE_BYTES +
  (request?.content?.length ?? 0) +
  (answer?.content?.length ?? 0) +
  query.reduce((sum, part) => sum + part.length, 0);

function drop(trace: DeviceTrace, from: StoredExchange[]): void {
  const oldest = from.shift();
  if (!oldest) return;
  trace.bytes -= sizeOf(oldest);
  trace.dropped += 1;
}

/** Drops the oldest of the kind that has the most until the trace is within its share; the last exchange stays. */
function fit(trace: DeviceTrace, share: number): void {
  while (trace.bytes > share) {
    const kinds = KINDS.map((kind) => trace.kinds[kind]);
    const [most, next] = kinds.toSorted((a, b) => b.length - a.length);
    if (!most || (most.length === 1 && next?.length === 0)) return;
    drop(trace, most);
  }
}

const isSameRefusal = (last: StoredExchange, { code, peer, path }: StoredExchange): boolean =>
  last.code === code && last.peer.address === peer.address && last.path[0] === path[0];
