import type {
  CoapEndpoint,
  CoapReply,
  CoapRequest,
  CoapResponse,
  OutgoingRequest,
} from '../../../driver/coap/endpoint.ts';
import { CoapFailure, Code, openCoapEndpoint } from '../../../driver/coap/endpoint.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { TestClock } from '../world/clock.ts';
import type { RawPeer } from './udp.ts';
import { openRawPeer } from './udp.ts';

export type TestedEndpoint = CoapEndpoint & { requests: CoapRequest[] };

export const LARGE = Buffer.from(Array.from({ length: 5000 }, (_, index) => 32 + (index % 90)));

/** Our endpoint with a handler that knows `hello`, `large`, `slow`, `broken`, and echoes what is sent. */
export async function openTestedEndpoint(
  options: {
    clock?: Clock;
    host?: string;
    handler?: (request: CoapRequest) => Promise<CoapReply>;
  } = {},
): Promise<TestedEndpoint> {
  const { clock = systemClock, host = '127.0.0.1', handler = answer } = options;
  const requests: CoapRequest[] = [];
  const endpoint = await openCoapEndpoint({
    host,
    port: 0,
    clock,
    log: createLog('silent'),
    onRequest(request) {
      requests.push(request);
      return handler(request);
    },
  });
  return { ...endpoint, requests };
}

async function answer(request: CoapRequest): Promise<CoapReply> {
  const { method, path, payload } = request;
  if (path[0] === 'broken') throw new Error('this handler is broken');
  if (method === 'POST' && path[0] === 'rd')
    return { code: Code.CREATED, locationPath: ['rd', 'a1'] };
  if (method === 'PUT') return { code: Code.CHANGED };
  if (method === 'POST') return { code: Code.CHANGED, payload, contentFormat: 0 };
  if (method !== 'GET') return { code: Code.DELETED };
  if (path[0] === 'hello') return { code: Code.CONTENT, payload: Buffer.from('hi') };
  if (path[0] === 'large') return { code: Code.CONTENT, payload: LARGE, contentFormat: 42 };
  return { code: Code.NOT_FOUND };
}

/** Bytes written in hexadecimal, blanks allowed. */
export function hex(text: string): Buffer {
  return Buffer.from(unspaced(text), 'hex');
}

export function unspaced(text: string): string {
  return text.replaceAll(' ', '');
}

export function ascii(text: string): string {
  return Buffer.from(text).toString('hex');
}

/** Uri-Path hello as first option. */
export const HELLO = `b5 ${ascii('hello')}`;

/** The reason of a `CoapFailure`, or what else became of the promise. */
export async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'no failure';
  } catch (error) {
    return error instanceof CoapFailure ? error.reason : String(error);
  }
}

/** Our endpoint on a clock moved by hand, and a device that speaks raw datagrams. */
export class Wire {
  clock: TestClock;
  endpoint: TestedEndpoint;
  device: RawPeer;

  private constructor(clock: TestClock, endpoint: TestedEndpoint, device: RawPeer) {
    this.clock = clock;
    this.endpoint = endpoint;
    this.device = device;
  }

  static async open(handler?: (request: CoapRequest) => Promise<CoapReply>): Promise<Wire> {
    const clock = new TestClock();
    const options = handler ? { clock, handler } : { clock };
    return new Wire(clock, await openTestedEndpoint(options), await openRawPeer());
  }

  /** Throws if a datagram made the endpoint throw or a timer is left. */
  async close(): Promise<void> {
    await this.endpoint.close();
    await this.device.close();
    if (this.endpoint.stats().faults > 0) throw new Error('a datagram made the endpoint throw');
    if (this.clock.pending > 0) throw new Error(`${this.clock.pending} timers are left`);
  }

  /** What the endpoint answers to a datagram, both in hexadecimal. */
  async ask(text: string): Promise<string> {
    return (await this.device.ask(hex(text), this.endpoint.port)).toString('hex');
  }

  tell(text: string): Promise<void> {
    return this.device.send(hex(text), this.endpoint.port);
  }

  /** The next datagram at the device in hexadecimal. */
  async next(): Promise<string> {
    return (await this.device.next()).toString('hex');
  }

  /** True if the next thing to be answered is a ping: what came before was met with silence. */
  async isSilent(): Promise<boolean> {
    return (await this.ask('4000 eeee')) === '7000eeee';
  }

  /** A request of ours to the device; by default GET /3/0/0 with a minute to answer. */
  request(part: Partial<OutgoingRequest> & { withinMs?: number } = {}): Promise<CoapResponse> {
    const { withinMs = 60_000, ...request } = part;
    return this.endpoint.request(
      { address: '127.0.0.1', port: this.device.port },
      { method: 'GET', path: ['3', '0', '0'], deadline: this.clock.now() + withinMs, ...request },
    );
  }

  /** The request the device got: message id, token, and options with payload. */
  async seen(): Promise<{ mid: string; token: string; rest: string }> {
    const text = await this.next();
    if (!text.startsWith('480')) throw new Error(`not a request with a token of 8 bytes: ${text}`);
    return { mid: text.slice(4, 8), token: text.slice(8, 24), rest: text.slice(24) };
  }
}
