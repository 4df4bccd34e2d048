import type { App } from '../../../../kernel/app/app.ts';
import type { Recording } from './recording.ts';
import { type Link, onRelayed, relay, relayedAfter, type Relayed } from './relay.ts';

/** Events that come within it go in one row. */
const TOGETHER_MS = 100;
const RETRY_MS = 1_000;
const ALIVE_MS = 5_000;
/** Its rows are deleted after ten minutes (relay.ts). */
const SIGN_MS = 300_000;
/** A process that follows the turn asks again before that. */
const FOLLOWED_MS = 45_000;

/**
 * Sends the events of a turn that runs in this process to others that ask for them, and stops it when one of them says
 * so, until the returned function is called. While none asks, only that it runs is sent, now and each five minutes.
 */
export function sendOn(app: App, link: Link, recording: Recording): () => void {
  let seen = '0';
  let isLooking = false;
  let isDue = false;
  /** Number of the first event that was not sent. */
  let from = 1;
  let until = 0;
  let leave: (() => void) | null = null;
  let flushing: Promise<void> | null = null;
  let cancelFlush: (() => void) | null = null;

  const alive = (): Relayed => ({
    kind: 'ALIVE',
    place: 0,
    body: JSON.stringify({ conversationId: recording.conversationId }),
  });

  async function flush(): Promise<void> {
    cancelFlush = null;
    const { first, events, last } = recording.read(from);
    const rows: Relayed[] = [];
    if (events.length > 0)
      rows.push({ kind: 'EVENTS', place: first, body: JSON.stringify(events) });
    if (last !== null) rows.push({ kind: 'END', place: first + events.length, body: last });
    if (rows.length === 0) return;
    await relay(app, link, rows);
    from = first + events.length;
    if (last !== null) end();
  }

  function flushSoon(ms = TOGETHER_MS): void {
    if (leave === null || cancelFlush !== null || flushing !== null) return;
    cancelFlush = app.clock.after(ms, () => {
      flushing = flushAgain();
    });
  }

  async function flushAgain(): Promise<void> {
    const pause = await flush().then(
      () => TOGETHER_MS,
      (error: unknown) => {
        app.log.warn({ error, turnId: link.turnId }, 'events of a turn not sent, retrying');
        return RETRY_MS;
      },
    );
    flushing = null;
    const { events, last } = recording.read(from);
    if (events.length > 0 || last !== null) flushSoon(pause);
  }

  function end(): void {
    leave?.();
    leave = null;
  }

  async function look(): Promise<void> {
    isDue = true;
    if (isLooking) return;
    isLooking = true;
    try {
      while (isDue) {
        isDue = false;
        const asked = await relayedAfter(app, link, seen, ['FOLLOW', 'STOP']);
        seen = asked.at(-1)?.id ?? seen;
        if (asked.length === 0) continue;
        if (asked.some(({ kind }) => kind === 'STOP')) recording.stop();
        await relay(app, link, [alive()]);
        if (!asked.some(({ kind }) => kind === 'FOLLOW')) continue;
        until = app.clock.now() + FOLLOWED_MS;
        leave ??= recording.join({ pump: () => flushSoon() });
        flushSoon(0);
      }
    } catch (error) {
      app.log.warn({ error, turnId: link.turnId }, 'a turn did not hear what others ask of it');
    } finally {
      isLooking = false;
    }
  }

  let signMs = app.clock.now();
  const sign = () => {
    signMs = app.clock.now();
    return relay(app, link, [alive()]).catch((error: unknown) => {
      app.log.warn({ error, turnId: link.turnId }, 'other processes do not know of a turn');
    });
  };
  void sign();
  const cancelAlive = app.clock.every(ALIVE_MS, async () => {
    if (leave !== null && app.clock.now() > until) end();
    if (leave !== null || app.clock.now() - signMs > SIGN_MS) await sign();
  });
  const cancelHearing = onRelayed(app, link.turnId, () => void look());
  return () => {
    cancelHearing();
    cancelAlive();
    end();
  };
}
