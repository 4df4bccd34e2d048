import { CountByKey } from '../../src/kernel/count.ts';
import type { Log } from '../../src/kernel/process/log.ts';
import type { TimerWheel } from '../timer-wheel.ts';
import type { CoapReply, CoapRequest, Counters } from './contract.ts';
import { Code } from './message/message.ts';

const SLOW_AFTER_MS = 800; // before the peer's first repetition at 2 s (RFC 7252 4.8)
const TIMEOUT_MS = 90_000;
const MAX_HANDLING = 10_000;
const MAX_PER_PEER = 32;

/** Runs the handler of requests: a bounded number at a time, each with exactly one reply. */
export class Handling {
  #running = 0;
  #runningOf = new CountByKey();
  #wheel: TimerWheel;
  #log: Log;
  #counters: Counters;
  #handler: (request: CoapRequest) => Promise<CoapReply>;

  constructor(parts: {
    wheel: TimerWheel;
    log: Log;
    counters: Counters;
    onRequest: (request: CoapRequest) => Promise<CoapReply>;
  }) {
    this.#wheel = parts.wheel;
    this.#log = parts.log;
    this.#counters = parts.counters;
    this.#handler = parts.onRequest;
  }

  get size(): number {
    return this.#running;
  }

  /** Calls `slow` after about a second without a reply, `done` once; false, and no call, at the limits. */
  run(
    key: string,
    request: CoapRequest,
    slow: () => void,
    done: (reply: CoapReply) => void,
  ): boolean {
    const ofPeer = this.#runningOf.of(key);
    if (this.#running >= MAX_HANDLING || ofPeer >= MAX_PER_PEER) return false;
    this.#running++;
    this.#runningOf.add(key, 1);
    let open = true;
    const end = (reply: CoapReply) => {
      if (!open) return;
      open = false;
      this.#wheel.cancel(timer);
      this.#leave(key);
      try {
        done(reply);
      } catch (cause) {
        this.#failed(request, cause);
        done({ code: Code.INTERNAL_SERVER_ERROR });
      }
    };
    let timer = this.#wheel.add(SLOW_AFTER_MS, () => {
      timer = this.#wheel.add(TIMEOUT_MS, () => {
        this.#failed(request, 'no reply in time');
        end({ code: Code.SERVICE_UNAVAILABLE });
      });
      slow();
    });
    Promise.try(this.#handler, request).then(end, (cause: unknown) => {
      this.#failed(request, cause);
      end({ code: Code.INTERNAL_SERVER_ERROR });
    });
    return true;
  }

  #failed({ peer, method }: CoapRequest, cause: unknown): void {
    this.#counters.handlerErrors++;
    this.#log.error({ peer, method, cause }, 'a CoAP request could not be answered');
  }

  #leave(key: string): void {
    this.#running--;
    this.#runningOf.add(key, -1);
  }
}
