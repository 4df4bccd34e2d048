import { z } from 'zod';

import type { App } from '../../../../kernel/app/app.ts';
import { limited } from '../../../../kernel/clock.ts';
import type { Mirrored } from './recording.ts';
import {
  type Link,
  onRelayed,
  relay,
  relayedAfter,
  type Relayed,
  type RelayKind,
} from './relay.ts';

/** For the first sign of the process that runs the turn. */
const ANSWER_MS = 1_500;
const RENEW_MS = 15_000;
/** After so long without a sign the process that ran the turn is taken for gone. */
const LOST_MS = 20_000;
/** Also without a notice, of which one can be lost. */
const LOOK_MS = 1_000;

const Alive = z.object({ conversationId: z.string().nullable() });
const Events = z.array(z.string());
const SIGNS: readonly RelayKind[] = ['ALIVE', 'END'];
const FROM_IT: readonly RelayKind[] = [...SIGNS, 'EVENTS'];

/** Whether a process said that it runs the turn, or ran it just now. */
const isKnown = async (app: App, link: Link): Promise<boolean> =>
  (await relayedAfter(app, link, '0', SIGNS)).length > 0;

/** Asks the process that runs the turn, in one trip; answers the number of the question. */
const ask = (app: App, link: Link, kind: 'FOLLOW' | 'STOP'): Promise<string> =>
  relay(app, link, [{ kind, place: 0, body: '' }]);

/** Waits for signs that a turn runs or ended, after that number, until `enough`, or for 1.5 s; answers those that came. */
async function waitFor(
  app: App,
  link: Link,
  after: string,
  enough: (rows: readonly (Relayed & { id: string })[]) => boolean,
): Promise<(Relayed & { id: string })[]> {
  const due = app.clock.now() + ANSWER_MS;
  let wake = Promise.withResolvers<void>();
  const cancel = onRelayed(app, link.turnId, () => wake.resolve());
  try {
    for (;;) {
      const rows = await relayedAfter(app, link, after, SIGNS);
      const left = due - app.clock.now();
      if (enough(rows) || left <= 0) return rows;
      await limited(app.clock, Math.min(left, 250), wake.promise);
      wake = Promise.withResolvers<void>();
    }
  } finally {
    cancel();
  }
}

/** Ends the turn where it runs; false where no process says that it does. */
export async function stopElsewhere(app: App, link: Link): Promise<boolean> {
  if (!(await isKnown(app, link))) return false;
  const asked = await ask(app, link, 'STOP');
  return (await waitFor(app, link, asked, (rows) => rows.length > 0)).length > 0;
}

/**
 * The recording of a turn that another process runs, filled from there as long as clients follow it; null where no
 * process says that it runs the turn. `open` makes it.
 */
export async function mirror(
  app: App,
  link: Link,
  open: (conversationId: string | null) => Mirrored,
): Promise<Mirrored | null> {
  if (!(await isKnown(app, link))) return null;
  const asked = BigInt(await ask(app, link, 'FOLLOW'));
  const answers = ({ id, kind }: Relayed & { id: string }) =>
    kind === 'END' || (kind === 'ALIVE' && BigInt(id) > asked);
  const rows = await waitFor(app, link, '0', (all) => all.some(answers));
  const first = rows.find(({ kind }) => kind === 'ALIVE');
  if (first === undefined || !rows.some(answers)) return null;
  const recording = open(Alive.parse(JSON.parse(first.body)).conversationId);
  void fill(app, link, recording).catch((error: unknown) => {
    app.log.warn({ error, turnId: link.turnId }, 'events of a turn elsewhere not read');
    recording.cut();
  });
  return recording;
}

async function fill(app: App, link: Link, recording: Mirrored): Promise<void> {
  let wake = Promise.withResolvers<void>();
  const cancel = onRelayed(app, link.turnId, () => wake.resolve());
  let seen = '0';
  let heardMs = app.clock.now();
  let askedMs = heardMs;
  try {
    while (!recording.signal.aborted) {
      const rows = await relayedAfter(app, link, seen, FROM_IT);
      const now = app.clock.now();
      for (const { id, kind, place, body } of rows) {
        seen = id;
        heardMs = now;
        if (kind === 'EVENTS') recording.put(place, Events.parse(JSON.parse(body)));
        if (kind === 'END') return recording.end(body);
      }
      if (now - heardMs > LOST_MS) return recording.cut();
      if (now - askedMs > RENEW_MS) {
        askedMs = now;
        await ask(app, link, 'FOLLOW');
      }
      if (rows.length === 0) await limited(app.clock, LOOK_MS, wake.promise);
      wake = Promise.withResolvers<void>();
    }
  } finally {
    cancel();
  }
}
