import { type EventPage, eventsAfter } from '../agentic/handover/events.ts';
import { relyingOn } from '../db/basis.ts';
import { inOneTrip } from '../db/tenant.ts';
import type { App } from '../kernel/app/app.ts';
import { type Change, FEED_KINDS } from '../kernel/feed/change.ts';
import type { Changes } from '../kernel/feed/follow.ts';

const PAGE = 100;
const RETRY_MS = 1_000;

type Event = EventPage['events'][number];

/** What a stream needs from the events of its tenant. */
type Stream = {
  /** Whether it hears of this at all. */
  concerns(change: Change): boolean;
  /** False: it takes nothing now, and calls `goOn` when it does again. */
  event(event: Event): boolean;
  /** What came after `place` is not whole; the same for what it answers. */
  gap(place: string): boolean;
  isOver(): boolean;
};

export type EventReader = {
  tell(news: Changes): void;
  /** Reads what came meanwhile, if something did. */
  goOn(): void;
};

/** Read once in a process, however many streams of the tenant hear of it. */
const pages = new WeakMap<Changes, Promise<EventPage>>();

/**
 * Reads the events of a tenant after a place for one stream: each once, in order. What a slow stream does not take is
 * not kept for it, but read again from its place. `isBehind`: there may be some before the first news.
 */
export function readEvents(
  app: App,
  tenantId: string,
  given: { place: string; isBehind: boolean },
  stream: Stream,
): EventReader {
  let { place, isBehind } = given;
  let isReading = false;

  const isNew = (change: Change): boolean => BigInt(change.place) > BigInt(place);
  const advance = (to: string): void => {
    if (BigInt(to) > BigInt(place)) place = to;
  };

  const read = (after: string, limit: number): Promise<EventPage> =>
    relyingOn(null, () =>
      inOneTrip(app.db, tenantId, (q) =>
        eventsAfter(
          q,
          tenantId,
          { after, kinds: FEED_KINDS, deviceId: null, limit },
          app.clock.now(),
        ),
      ),
    );

  /** False when the stream did not take all of it. */
  function deliver({ events, upTo }: EventPage): boolean {
    for (const event of events) {
      if (isNew(event) && stream.concerns(event) && !stream.event(event)) return false;
      advance(event.place);
    }
    advance(upTo);
    return true;
  }

  /** Never rejects; one at a time. */
  async function run(first: Promise<EventPage> | null): Promise<void> {
    if (isReading) return;
    isReading = true;
    let page = first;
    try {
      while ((page !== null || isBehind) && !stream.isOver()) {
        const isOwn = page === null;
        if (isOwn) isBehind = false;
        const from = place;
        const { isGone, ...found } = await (page ?? read(from, PAGE));
        page = null;
        if (isOwn && isGone) {
          const [next] = found.events;
          const to = next ? String(BigInt(next.place) - 1n) : found.upTo;
          if (!stream.gap(to)) {
            isBehind = true;
            return;
          }
          place = to;
        }
        if (!deliver({ ...found, isGone })) {
          isBehind = true;
          return;
        }
        if (isOwn && found.events.length === PAGE) isBehind = true;
      }
    } catch (error) {
      app.log.warn({ error, tenantId }, 'events for a stream were not read, retrying');
      isBehind = true;
      app.clock.after(RETRY_MS, () => void run(null));
    } finally {
      isReading = false;
    }
  }

  return {
    tell(news) {
      const { changes } = news;
      const last = changes?.at(-1);
      if (changes === null) isBehind = true;
      else if (!last) return;
      else if (isReading || isBehind) isBehind = true;
      else if (!changes.some((change) => isNew(change) && stream.concerns(change)))
        return advance(last.place);
      else {
        const [first = last] = changes;
        const before = String(BigInt(first.place) - 1n);
        return void run(pages.getOrInsertComputed(news, () => read(before, changes.length)));
      }
      void run(null);
    },
    goOn: () => void run(null),
  };
}
