import type { ServerResponse } from 'node:http';

import type { App, Caller } from '../../../../kernel/app/app.ts';
import { limited } from '../../../../kernel/clock.ts';
import { Gone, TooManyRequests } from '../../../../kernel/errors.ts';
import { slot } from '../../../../kernel/slot.ts';
import { connect, type Outlet, STALLED_MS } from '../outlet.ts';
import { LastEvents } from './last-events.ts';
import { mirror, stopElsewhere as stopThere } from './mirror.ts';
import { stopThose } from './relay.ts';
import { sendOn } from './send-on.ts';

/** Recorded turns of a process, and of one caller at a time. */
const MAX_RECORDINGS = 500;
const MAX_UNDER_WAY = 8;
/** Of one tenant at a time. */
const MAX_OF_TENANT = 100;
/** Clients that follow one turn. */
const MAX_READERS = 4;
/** How long a turn goes on that no client follows, and how long an ended one can still be read. */
const ALONE_MS = 60_000;
export const AFTERWARDS_MS = 60_000;
/** How long a process that stops waits for the ends of its turns. */
const STOP_MS = 5_000;

/** A streamed turn that goes on when its client is gone, and can be followed again from any of its last events. */
export type Recording = Outlet & {
  /** null: the turn is in no conversation. */
  conversationId: string | null;
  /** Aborted by `stop`, and when no client has followed the turn for a minute. */
  signal: AbortSignal;
  /** Sends the events after number `after`, then those to come. Throws Gone and TooManyRequests. */
  follow(res: ServerResponse, after: number): void;
  stop(): void;
  /** The events from number `from` on, or from the first that is stored; the last ones if the turn has ended. */
  read(from: number): { first: number; events: readonly string[]; last: string | null };
  /** A reader that is no client; until it leaves, the turn is followed. */
  join(reader: Reader): () => void;
};

/** Of a turn that another process runs. */
export type Mirrored = Recording & {
  /** Takes events from number `place` on; those that are here already are left out. */
  put(place: number, events: readonly string[]): void;
  /** Cuts its clients, which ask again. */
  cut(): void;
};

type Reader = { pump(): void };

/** By turn. */
type Recordings = Map<
  string,
  {
    of: string;
    tenantId: string;
    hasEnded: boolean;
    /** Resolves at its end, when its answer is stored. */
    ended: Promise<void>;
    isElsewhere: boolean;
    recording: Recording;
    forget(): void;
  }
>;
const RECORDINGS = slot((): Recordings => new Map());

const keyOf = ({ tenantId, principalId, clientId = '' }: Caller): string =>
  JSON.stringify([tenantId, principalId, clientId]);

/** A caller of whom a turn is with every credential, as that of a response in the background is. */
export const ofPrincipal = ({ clientId: _clientId, ...caller }: Caller): Caller => caller;

/** The recording of this caller's turn; null for an unknown turn and for one of another caller. */
export function recordingOf(app: App, caller: Caller, turnId: string): Recording | null {
  const found = app.of(RECORDINGS).get(turnId);
  return found?.of === keyOf(caller) ? found.recording : null;
}

/** As `recordingOf`, of a turn that another process runs. Throws TooManyRequests when this one has as many as it may. */
export async function recordingElsewhere(
  app: App,
  caller: Caller,
  turnId: string,
): Promise<Recording | null> {
  const recordings = app.of(RECORDINGS);
  if (recordings.size >= MAX_RECORDINGS)
    throw new TooManyRequests('Too many answers that can be resumed are under way', 1);
  const of = keyOf(caller);
  const { tenantId } = caller;
  return mirror(app, { tenantId, turnId, owner: of }, (conversationId) => {
    const known = recordings.get(turnId);
    const forget = () => void (recordings.get(turnId) === own && recordings.delete(turnId));
    const recording = open(app, conversationId, true, () => app.clock.after(AFTERWARDS_MS, forget));
    recording.signal.addEventListener('abort', forget);
    const ended = Promise.resolve();
    const own = { of, tenantId, hasEnded: true, ended, isElsewhere: true, recording, forget };
    if (!known) recordings.set(turnId, own);
    return recording;
  });
}

/** Ends a turn of the caller that runs in this process; false where none does. */
export function stopTurn(app: App, caller: Caller, turnId: string): boolean {
  const found = app.of(RECORDINGS).get(turnId);
  if (found?.of !== keyOf(caller) || found.isElsewhere) return false;
  found.recording.stop();
  return true;
}

/** Ends a turn of the caller in the process that runs it; false where none says that it does. */
export const stopElsewhere = (app: App, caller: Caller, turnId: string): Promise<boolean> =>
  stopThere(app, { tenantId: caller.tenantId, turnId, owner: keyOf(caller) });

/** Ends and forgets the turns of a conversation; asks other processes to end theirs. */
export async function forgetRecordings(
  app: App,
  caller: Caller,
  conversationId: string,
): Promise<void> {
  const owners = [keyOf(caller), keyOf(ofPrincipal(caller))];
  for (const { of, recording, forget } of app.of(RECORDINGS).values()) {
    if (!owners.includes(of) || recording.conversationId !== conversationId) continue;
    recording.stop();
    forget();
  }
  const { tenantId } = caller;
  await stopThose(app, { tenantId, owners }, conversationId).catch((error: unknown) => {
    app.log.warn(
      { error, conversationId },
      'turns of a deleted conversation not stopped elsewhere',
    );
  });
}

/** Throws TooManyRequests when the caller, the tenant or the process has as many as it may. */
export function recordTurn(
  app: App,
  caller: Caller,
  { turnId, conversationId }: { turnId: string; conversationId: string | null },
): Recording {
  const recordings = app.of(RECORDINGS);
  const of = keyOf(caller);
  const { tenantId } = caller;
  const all = [...recordings.values()].filter((one) => one.tenantId === tenantId && !one.hasEnded);
  const isFull = all.length >= MAX_OF_TENANT || recordings.size >= MAX_RECORDINGS;
  if (isFull || all.filter((one) => one.of === of).length >= MAX_UNDER_WAY)
    throw new TooManyRequests('Too many answers that can be resumed are under way', 1);
  const { promise: ended, resolve: noteEnd } = Promise.withResolvers<void>();
  const recording = open(app, conversationId, false, () => {
    noteEnd();
    const known = recordings.get(turnId);
    if (known) known.hasEnded = true;
    app.clock.after(AFTERWARDS_MS, () => known?.forget());
  });
  // The embedded database serves one process.
  const stopSending =
    app.db.engine === 'embedded'
      ? () => {}
      : sendOn(app, { tenantId, turnId, owner: of }, recording);
  const forget = () => {
    stopSending();
    recordings.delete(turnId);
  };
  const own = { of, tenantId, hasEnded: false, ended, isElsewhere: false, recording, forget };
  recordings.set(turnId, own);
  return recording;
}

/** Ends the turns that go on without their clients, as the process stops; waits until their answers are stored. */
export async function endRecordings(app: App): Promise<void> {
  const underWay = [...app.of(RECORDINGS).values()].filter(({ hasEnded }) => !hasEnded);
  for (const { recording } of underWay) recording.stop();
  await limited(app.clock, STOP_MS, Promise.all(underWay.map(({ ended }) => ended)));
}

/** `isElsewhere`: what it has may be less than its readers have already got. */
function open(
  app: App,
  conversationId: string | null,
  isElsewhere: boolean,
  ended: () => void,
): Mirrored {
  const stopped = new AbortController();
  const readers = new Set<Reader>();
  const cuts = new Set<() => void>();
  const stored = new LastEvents();
  let last: string | null = null;
  let cancelAlone = app.clock.after(ALONE_MS, () => stopped.abort());

  function left(reader: Reader): void {
    readers.delete(reader);
    cancelAlone();
    if (readers.size === 0 && last === null)
      cancelAlone = app.clock.after(ALONE_MS, () => stopped.abort());
  }

  function cut(): void {
    stopped.abort();
    for (const end of cuts) end();
  }

  return {
    conversationId,
    signal: stopped.signal,
    write(events) {
      stored.add(events);
      for (const reader of readers) reader.pump();
      return true;
    },
    put(place, events) {
      stored.beginAt(place);
      // What is missing before it is not kept any more.
      if (place > stored.next) return cut();
      for (const one of events.slice(stored.next - place)) stored.add(one);
      for (const reader of readers) reader.pump();
    },
    cut,
    read(from) {
      const first = Math.max(from, stored.first);
      return { first, events: stored.from(first), last };
    },
    join(reader) {
      cancelAlone();
      readers.add(reader);
      return () => left(reader);
    },
    // No client holds it up.
    drained: async () => {},
    end(events) {
      cancelAlone();
      last = events;
      for (const reader of readers) reader.pump();
      ended();
    },
    follow(res, after) {
      if (after + 1 < stored.first)
        throw new Gone(`Events before ${stored.first} are not kept any more`);
      if (cuts.size >= MAX_READERS)
        throw new TooManyRequests('Too many clients follow this turn', 1);
      cancelAlone();
      const connection = connect(app, res, conversationId);
      const destroy = () => void res.destroy();
      cuts.add(destroy);
      let at = isElsewhere ? after + 1 : Math.min(after + 1, stored.next);
      let cancelStalled = (): void => {};
      const reader: Reader = {
        pump() {
          // It reads too slowly for what is stored: it can follow again, and learns that events are missing.
          if (at < stored.first) {
            res.destroy();
            return;
          }
          while (at < stored.next && !connection.isFull()) {
            connection.write(`id: ${at}\n${stored.at(at)}`);
            at += 1;
          }
          cancelStalled();
          if (connection.isFull()) cancelStalled = app.clock.after(STALLED_MS, () => res.destroy());
          else if (last !== null && at >= stored.next) connection.end(last);
        },
      };
      // Node sends the head with the first event, which the model may be long in coming to.
      if (at >= stored.next) res.flushHeaders();
      readers.add(reader);
      res.on('drain', reader.pump).once('close', () => {
        cancelStalled();
        cuts.delete(destroy);
        left(reader);
      });
      reader.pump();
    },
    stop: () => stopped.abort(),
  };
}
