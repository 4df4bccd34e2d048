import { statfs } from 'node:fs/promises';

import { z } from 'zod';

import { Unavailable } from '../errors.ts';
import { slot } from '../slot.ts';
import type { App } from './app.ts';

/** For how long what was measured counts: the reserve is more than comes in that time. */
const MEASURED_MS = 5_000;
const MB = 1024 * 1024;

/** The disk with the data folder, where the database is the embedded one. */
export const DiskRoom = z
  .object({
    freeBytes: z.number().int(),
    reserveBytes: z.number().int().describe('SVC_DISK_RESERVE_MB'),
    refuses: z
      .boolean()
      .describe('Less than the reserve is free: no values, events and files are stored'),
  })
  .meta({ id: 'DiskRoom' });
type DiskRoom = z.output<typeof DiskRoom>;

const MEASURED = slot((): { at: number; free: number | null } => ({ at: -Infinity, free: null }));

/** Of the last five seconds. Null where it is not known: of a server only its operator sees the disk. */
export async function diskRoom(
  app: Pick<App, 'config' | 'clock' | 'of'>,
): Promise<DiskRoom | null> {
  const { databaseUrl, dataDir, diskReserveBytes: reserveBytes } = app.config;
  if (databaseUrl !== null) return null;
  const measured = app.of(MEASURED);
  const now = app.clock.elapsed();
  if (now - measured.at > MEASURED_MS) {
    measured.at = now;
    measured.free = await statfs(dataDir).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => null,
    );
  }
  const { free: freeBytes } = measured;
  return freeBytes === null ? null : { freeBytes, reserveBytes, refuses: freeBytes < reserveBytes };
}

/** What is said of a disk that is almost full; null of any other. */
export async function fullDisk(app: App): Promise<string | null> {
  const room = await diskRoom(app);
  if (!room?.refuses) return null;
  const { freeBytes, reserveBytes } = room;
  return (
    `The disk with the data folder is almost full: ${Math.floor(freeBytes / MB)} MB are free, and ` +
    `${Math.floor(reserveBytes / MB)} MB are kept for the database. No values, events and files are stored until there is more`
  );
}

/** Throws Unavailable (503) before the database has no room left: it needs some to delete and to stop in order. */
export async function demandDiskRoom(app: App): Promise<void> {
  const full = await fullDisk(app);
  if (full !== null) throw new Unavailable(full);
}
