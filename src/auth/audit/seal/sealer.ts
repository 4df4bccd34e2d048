import { isDeepStrictEqual } from 'node:util';

import type { App } from '../../../kernel/app/app.ts';
import { writeHead } from './outside-head.ts';
import { LATE_MS, sealBatch } from './seal.ts';
import type { Heads } from './sealed-log.ts';

const EVERY_MS = 5_000;
/** Rows that are committed later are found by the thorough run, which looks further back. */
const USUALLY_LATE_MS = 30_000;
const THOROUGH_MS = 60_000;
const HEAD_MS = 600_000;
/** Batches of one run; the next run continues. */
const MAX_BATCHES = 20;

/** Seals the rows of the logs in the background until stopped, and writes the heads outside the database. */
export function startAuditSealer(app: App): { stop(): Promise<void> } {
  const sealer = new Sealer(app);
  let running = sealer.run();
  const cancel = app.clock.every(EVERY_MS, () => {
    running = sealer.run();
    return running;
  });
  return {
    async stop() {
      cancel();
      await running;
      await sealer.run({ isLast: true });
    },
  };
}

class Sealer {
  readonly #app: App;
  #thoroughAt = -Infinity;
  #headAt = -Infinity;
  #written: Heads | null = null;

  constructor(app: App) {
    this.#app = app;
  }

  /** Never throws; what could not be done is done by the next run. */
  async run({ isLast = false } = {}): Promise<void> {
    const { clock, log } = this.#app;
    try {
      const now = clock.elapsed();
      const isThorough = isLast || now - this.#thoroughAt >= THOROUGH_MS;
      const heads = await this.#seal(isThorough ? LATE_MS : USUALLY_LATE_MS);
      if (isThorough) this.#thoroughAt = now;
      if (heads && (isLast || now - this.#headAt >= HEAD_MS)) {
        this.#headAt = now;
        await this.#tellOutside(heads);
      }
    } catch (error) {
      log.error({ error }, 'audit rows not sealed, retrying');
    }
  }

  async #seal(lookBackMs: number): Promise<Heads | null> {
    for (let batch = 1; ; batch += 1) {
      const { heads, isDone } = await sealBatch(this.#app, lookBackMs);
      if (isDone || batch === MAX_BATCHES) return heads;
    }
  }

  async #tellOutside(heads: Heads): Promise<void> {
    if (isDeepStrictEqual(heads, this.#written)) return;
    const { config, clock, log } = this.#app;
    await writeHead(config.auditHead, heads, clock.now());
    const sealed = Object.entries(heads).filter(([, { count }]) => count !== '0');
    // One text each: a log line has no fields within fields.
    const texts = sealed.map(([name, { count, mac }]) => [name, `${count} ${mac}`]);
    if (sealed.length > 0) log.info(Object.fromEntries(texts), 'audit head');
    this.#written = heads;
  }
}
