import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

import { z } from 'zod';

import type { Clock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log.ts';

const Saved = z.object({
  id: z.string(),
  endpoint: z.string(),
  deviceId: z.string(),
  peer: z.object({ address: z.string(), port: z.number() }),
  version: z.string(),
  queueMode: z.boolean(),
  lifetimeS: z.number(),
  expiresAt: z.number(),
  contentFormats: z.array(z.number()),
});
export type SavedRegistration = z.infer<typeof Saved>;

const SAVE_EVERY_MS = 1_000;

/** The registrations in a file, so that a restart does not leave devices silent until their next update. */
export type RegistrationStore = {
  /** What was saved last; empty when the file is missing or not ours. */
  load(): Promise<SavedRegistration[]>;
  /** Saves at once, but at most once a second, however often it is called: then what `current` gives. */
  saveSoon(current: () => SavedRegistration[]): void;
  /** Saves at once what is still to be saved. */
  close(): Promise<void>;
};

export function openRegistrationStore(
  file: string,
  { clock, log }: { clock: Clock; log: Log },
): RegistrationStore {
  let pending: { cancel: () => void; save: () => void } | null = null;
  let savedAt = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();

  async function save(current: () => SavedRegistration[]): Promise<void> {
    try {
      await mkdir(dirname(file), { recursive: true });
      const fresh = await open(`${file}.new`, 'w', 0o600);
      try {
        await fresh.writeFile(JSON.stringify(current()));
        await fresh.datasync();
      } finally {
        await fresh.close();
      }
      await rename(`${file}.new`, file);
    } catch (error) {
      log.error({ error }, 'the registrations could not be saved');
    }
  }

  return {
    async load() {
      try {
        return z.array(Saved).parse(JSON.parse(await readFile(file, 'utf8')));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT'))
          log.warn({ error }, 'the saved registrations could not be read; devices register anew');
        return [];
      }
    },
    saveSoon(current) {
      if (pending) return;
      const run = (): void => {
        pending = null;
        savedAt = clock.now();
        last = last.then(() => save(current));
      };
      const wait = Math.max(0, savedAt + SAVE_EVERY_MS - clock.now());
      pending = { cancel: clock.after(wait, run), save: run };
    },
    async close() {
      pending?.cancel();
      pending?.save();
      await last;
    },
  };
}
