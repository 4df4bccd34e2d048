import { z } from 'zod';

import type { Saveable } from '../../dtls/saved-session.ts';
import { SpokenFormats } from './formats.ts';
import { PeerChange } from './peer-changes.ts';

const Saved = z.object({
  id: z.string(),
  endpoint: z.string(),
  deviceId: z.string(),
  peer: z.object({
    address: z.string(),
    port: z.number(),
    /** Over DTLS: of a session that may be over. */
    proven: z
      .object({ session: z.string(), deviceId: z.string(), mark: z.string().optional() })
      .optional(),
  }),
  version: z.string(),
  queueMode: z.boolean(),
  lifetimeS: z.number(),
  expiresAt: z.number(),
  /** Time of the last registration or update; missing in files of an earlier version. */
  heardAt: z.number().default(0),
  contentFormats: z.array(z.number()),
  /** In which of them, or others, the device was understood. */
  spoken: SpokenFormats.optional(),
  /** The path below which the device keeps its objects. */
  root: z.array(z.string()).default([]),
  /** Paths of the objects and instances that it registered, and how many more there were. */
  objects: z.array(z.string()).default([]),
  leftOut: z.number().default(0),
  /** Time at which it registered them. */
  objectsAt: z.number().default(0),
  /** Digest of the factory key that this registration with the device's own key made needless. */
  spent: z.string().optional(),
});
export type SavedRegistration = z.infer<typeof Saved> & {
  /** Its formats have changed since it was saved: they are learned without an update. */
  isUnsaved?: boolean;
};

/** The line for a registration of which only the times are new. */
const heardLine = ({ id, deviceId, heardAt, expiresAt }: SavedRegistration): string =>
  `{"heard":{"id":"${id}","deviceId":"${deviceId}","heardAt":${heardAt},"expiresAt":${expiresAt}}}`;

/** A DTLS session, see `SavedSession`. */
const Session = z.object({
  id: z.string(),
  holder: z.string(),
  address: z.object({ address: z.string(), port: z.number() }),
  sequence: z.number(),
  newest: z.number(),
  secret: z.string(),
});

/** A line of the file; the last one on a device, change or session counts. */
export const Line = z.union([
  z.object({ registration: Saved }),
  /** Nothing else of the registration is new. */
  z.object({ heard: Saved.pick({ id: true, deviceId: true, heardAt: true, expiresAt: true }) }),
  z.object({ change: PeerChange }),
  z.object({ ended: z.string() }),
  /** The endpoint, in files of an earlier version. */
  z.object({ gone: z.string() }),
  z.object({ settled: z.string() }),
  z.object({ session: Session }),
  z.object({ over: z.string() }),
]);
export type Line = z.infer<typeof Line>;

/** What a row of the file says; null for one that is torn or of another kind. */
export function lineIn(row: string): Line | null {
  try {
    return Line.safeParse(JSON.parse(row)).data ?? null;
  } catch {
    return null;
  }
}

/** The state of a registration, change of address or session that waits to be written; `isKept` when it is on the disk. */
export type Entry = { text: () => string; isKept?: () => void };

/** A registration that ended, or began anew, after it was heard says so after that. */
export function* rowsOf(
  heard: Iterable<SavedRegistration>,
  entries: Iterable<Entry>,
): Generator<string> {
  for (const registration of heard) yield heardLine(registration);
  for (const { text } of entries) yield text();
}

export const entryOf = (line: Line): Entry => ({ text: () => JSON.stringify(line) });

export const sessionEntry = (session: Saveable): Entry => ({
  text: () => JSON.stringify({ session: session.saved() }),
  isKept: () => session.isKept(),
});

/** With the formats of the moment in which it is written. */
export const registered = (registration: SavedRegistration): Entry => ({
  text() {
    delete registration.isUnsaved;
    return JSON.stringify({ registration });
  },
});
