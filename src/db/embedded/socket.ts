import { Duplex } from 'node:stream';

import type { Link } from './link.ts';
import { collectOutgoing } from './outgoing.ts';
import { settingsQuery } from './startup.ts';
import { fatal, query, rowsOf, welcome } from './wire.ts';

// Untyped first messages (PostgreSQL manual, 54.7): length, then one of these codes.
const SSL_REQUEST = 80_877_103;
const CANCEL_REQUEST = 80_877_102;
const FIRST_MESSAGE_LIMIT = 10_000;

/**
 * Acts for `pg` as a socket to a server: answers the start-up packet itself and forwards everything later
 * to the engine. The engine has one session: a second client at a time is refused, and the session of a
 * client that leaves is reset, as a server would by ending its backend.
 */
export class EngineSocket extends Duplex {
  readonly #link: Link;
  readonly #claim: () => (() => void) | undefined;
  readonly #outgoing = collectOutgoing();
  readonly #forgetDeath: () => void;
  #release: (() => void) | undefined;
  #first: Buffer = Buffer.alloc(0);
  #scheduled = false;

  /** `claim` reserves the session for this socket; undefined while another one has it. */
  constructor(link: Link, claim: () => (() => void) | undefined) {
    super({ allowHalfOpen: false });
    this.#link = link;
    this.#claim = claim;
    this.#forgetDeath = link.onDeath((reason) => process.nextTick(() => this.destroy(reason)));
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#accept(chunk);
    done();
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    for (const { chunk } of chunks) this.#accept(chunk);
    done();
  }

  override _read(): void {
    // Answers are pushed as they come: the engine cannot pause within an answer.
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#forgetDeath();
    this.#leave();
    done(error);
  }

  #accept(chunk: Buffer): void {
    if (this.#release) this.#forward(chunk);
    else this.#greet(chunk);
  }

  /** False after the client has ended its stream: it gets no further bytes. */
  #listening(): boolean {
    return !this.destroyed && !this.writableEnded;
  }

  #leave(): void {
    if (!this.#release) return;
    const bytes = new Uint8Array(Buffer.concat([query('rollback'), query('discard all')]));
    this.#link.exec({ bytes, answers: 2 }, () => undefined).catch(() => undefined);
    this.#release();
    this.#release = undefined;
  }

  #greet(chunk: Buffer): void {
    this.#first = Buffer.concat([this.#first, chunk]);
    if (this.#first.length < 8) return;
    const length = this.#first.readInt32BE(0);
    const code = this.#first.readInt32BE(4);
    if (code === CANCEL_REQUEST || length > FIRST_MESSAGE_LIMIT) {
      this.destroy();
      return;
    }
    if (this.#first.length < length) return;
    const packet = this.#first.subarray(0, length);
    const rest = this.#first.subarray(length);
    this.#first = Buffer.alloc(0);
    if (code === SSL_REQUEST) {
      this.push('N');
      if (rest.length > 0) this.#greet(rest);
      return;
    }
    this.#release = this.#claim();
    if (!this.#release) {
      this.push(fatal('53300', 'The embedded database has one session; set the pool to max: 1'));
      this.end();
      return;
    }
    const settings = settingsQuery(packet);
    if (settings === undefined) this.push(welcome(this.#link.parameters));
    else void this.#applySettings(settings);
    if (rest.length > 0) this.#forward(rest);
  }

  /** Refuses the client when a setting fails: it must never get in without the role it asks for. */
  async #applySettings(sql: string): Promise<void> {
    const answer: Buffer[] = [];
    try {
      await this.#link.exec({ bytes: new Uint8Array(query(sql)), answers: 1 }, (bytes) =>
        answer.push(bytes),
      );
      rowsOf(Buffer.concat(answer));
      if (this.#listening()) this.push(welcome(this.#link.parameters));
    } catch (error) {
      if (!this.#listening()) return;
      this.push(fatal('22023', error instanceof Error ? error.message : String(error)));
      this.#leave();
      this.end();
    }
  }

  #forward(chunk: Buffer): void {
    const isEnded = this.#outgoing.push(chunk);
    if (!this.#scheduled) {
      // One hand-over for all writes of this tick: each costs a hop between threads.
      this.#scheduled = true;
      queueMicrotask(() => this.#handOver());
    }
    if (isEnded) {
      // Released at once: the pool may open its next client in this tick.
      this.#handOver();
      this.#leave();
      this.end();
    }
  }

  #handOver(): void {
    this.#scheduled = false;
    const batch = this.#outgoing.take();
    if (!batch || this.destroyed) return;
    this.#link
      .exec(batch, (bytes) => {
        if (this.#listening()) this.push(bytes);
      })
      .catch((error: unknown) => {
        this.destroy(error instanceof Error ? error : new Error(String(error)));
      });
  }

  // Methods of a net.Socket that pg calls and that have no effect between threads.
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}
