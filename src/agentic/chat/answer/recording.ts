import type { ServerResponse } from 'node:http';

import type { App, Caller } from '../../../kernel/app/app.ts';
import { Gone, NotFound, TooManyRequests } from '../../../kernel/errors.ts';
import { slot } from '../../../kernel/slot.ts';
import { connect, type Outlet, STALLED_MS } from './outlet.ts';

/** Characters of one turn that can be sent again; older events are dropped. */
const MAX_STORED = 1_000_000;
/** Recorded turns of a process, and of one caller at a time. */
const MAX_RECORDINGS = 500;
const MAX_UNDER_WAY = 8;
/** Clients that follow one turn. */
const MAX_READERS = 4;
/** How long a turn goes on that no client follows, and how long an ended one can still be read. */
const ALONE_MS = 60_000;
const AFTERWARDS_MS = 60_000;

/** A streamed turn that goes on when its client is gone, and can be followed again from any of its last events. */
type Recording = Outlet & {
  /** null: the turn is in no conversation. */
  conversationId: string | null;
  /** Aborted by `stop`, and when no client has followed the turn for a minute. */
  signal: AbortSignal;
  /** Sends the events after number `after`, then those to come. Throws Gone and TooManyRequests. */
  follow(res: ServerResponse, after: number): void;
  stop(): void;
};

/** By turn. */
type Recordings = Map<string, { of: string; hasEnded: boolean; recording: Recording }>;
const RECORDINGS = slot((): Recordings => new Map());

const keyOf = ({ tenantId, principalId, clientId = '' }: Caller): string =>
  JSON.stringify([tenantId, principalId, clientId]);

/** The recording of this caller's turn; null for an unknown turn and for one of another caller. */
export function recordingOf(app: App, caller: Caller, turnId: string): Recording | null {
  const found = app.of(RECORDINGS).get(turnId);
  return found?.of === keyOf(caller) ? found.recording : null;
}

/** Ends this caller's turn; what there is of its answer is stored. Throws NotFound for a turn that does not run here. */
export function stopTurn(app: App, caller: Caller, turnId: string): true {
  const recording = recordingOf(app, caller, turnId);
  if (!recording) throw new NotFound('A turn of this id that runs here');
  recording.stop();
  return true;
}

/** Ends and forgets the turns of a conversation. */
export function forgetRecordings(app: App, caller: Caller, conversationId: string): void {
  for (const [turnId, { of, recording }] of app.of(RECORDINGS)) {
    if (of !== keyOf(caller) || recording.conversationId !== conversationId) continue;
    recording.stop();
    app.of(RECORDINGS).delete(turnId);
  }
}

/** Throws TooManyRequests when the caller or the process has as many as it may. */
export function recordTurn(
  app: App,
  caller: Caller,
  { turnId, conversationId }: { turnId: string; conversationId: string | null },
): Recording {
  const recordings = app.of(RECORDINGS);
  const of = keyOf(caller);
  const underWay = [...recordings.values()].filter((each) => each.of === of && !each.hasEnded);
  if (underWay.length >= MAX_UNDER_WAY || recordings.size >= MAX_RECORDINGS)
    throw new TooManyRequests('Too many answers that can be resumed are under way', 1);
  const recording = open(app, conversationId, () => {
    const known = recordings.get(turnId);
    if (known) known.hasEnded = true;
    app.clock.after(AFTERWARDS_MS, () => recordings.delete(turnId));
  });
  recordings.set(turnId, { of, hasEnded: false, recording });
  return recording;
}

type Reader = { pump(): void };

function open(app: App, conversationId: string | null, ended: () => void): Recording {
  const stopped = new AbortController();
  const readers = new Set<Reader>();
  const stored: string[] = [];
  /** Number of the first stored event. */
  let first = 1;
  let characters = 0;
  let last: string | null = null;
  let cancelAlone = app.clock.after(ALONE_MS, () => stopped.abort());
  const next = (): number => first + stored.length;

  function left(reader: Reader): void {
    readers.delete(reader);
    cancelAlone();
    if (readers.size === 0 && last === null)
      cancelAlone = app.clock.after(ALONE_MS, () => stopped.abort());
  }

  return {
    conversationId,
    signal: stopped.signal,
    write(events) {
      const numbered = `id: ${next()}\n${events}`;
      stored.push(numbered);
      characters += numbered.length;
      while (characters > MAX_STORED) {
        characters -= stored.shift()?.length ?? 0;
        first += 1;
      }
      for (const reader of readers) reader.pump();
      return true;
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
      if (after + 1 < first) throw new Gone(`Events before ${first} are not kept any more`);
      if (readers.size >= MAX_READERS)
        throw new TooManyRequests('Too many clients follow this turn', 1);
      cancelAlone();
      const connection = connect(app, res, conversationId);
      let at = Math.min(after + 1, next());
      let cancelStalled = (): void => {};
      const reader: Reader = {
        pump() {
          // It reads too slowly for what is stored: it can follow again, and learns that events are missing.
          if (at < first) {
            res.destroy();
            return;
          }
          while (at < next() && !connection.isFull()) {
            connection.write(stored[at - first] ?? '');
            at += 1;
          }
          cancelStalled();
          if (connection.isFull()) cancelStalled = app.clock.after(STALLED_MS, () => res.destroy());
          else if (last !== null && at === next()) connection.end(last);
        },
      };
      // Node sends the head with the first event, which the model may be long in coming to.
      if (at === next()) res.flushHeaders();
      readers.add(reader);
      res.on('drain', reader.pump).once('close', () => {
        cancelStalled();
        left(reader);
      });
      reader.pump();
    },
    stop: () => stopped.abort(),
  };
}
