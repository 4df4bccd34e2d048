import type { Clock } from '../../src/kernel/clock.ts';
import type { CoapReply } from './contract.ts';

type Download = { reply: CoapReply; bytes: number; usedAt: number };

const PROGRESS_TIMEOUT_MS = 93_000;

/**
 * Large replies that peers fetch block by block, kept so that all blocks are of the same reply. When space
 * is short the oldest reply is dropped: a GET is then handled again, other methods get 4.08.
 */
export class Downloads {
  #downloads = new Map<string, Download>();
  #bytes = 0;
  #clock: Clock;
  #limits: { maxTotalBytes: number };

  constructor(clock: Clock, limits: { maxTotalBytes: number }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  keep(key: string, reply: CoapReply): void {
    this.drop(key);
    const bytes = reply.payload?.length ?? 0;
    this.#downloads.set(key, { reply, bytes, usedAt: this.#clock.now() });
    this.#bytes += bytes;
    for (const oldest of this.#downloads.keys()) {
      if (this.#bytes <= this.#limits.maxTotalBytes) return;
      this.drop(oldest);
    }
  }

  find(key: string): CoapReply | null {
    const download = this.#downloads.get(key);
    if (!download) return null;
    download.usedAt = this.#clock.now();
    return download.reply;
  }

  drop(key: string): void {
    const download = this.#downloads.get(key);
    if (!download) return;
    this.#downloads.delete(key);
    this.#bytes -= download.bytes;
  }

  /** Drops replies without a fetch for 93 s; to be called now and then. */
  sweep(): void {
    const oldest = this.#clock.now() - PROGRESS_TIMEOUT_MS;
    for (const [key, { usedAt }] of this.#downloads) if (usedAt < oldest) this.drop(key);
  }
}
