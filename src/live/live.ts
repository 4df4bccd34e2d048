import type { ServerResponse } from 'node:http';

import { followPermitted } from '../auth/permission/follow-permitted.ts';
import { onPresentFacts } from '../auth/permission/present.ts';
import { followValues } from '../data/value/follow.ts';
import type { LatestValue } from '../data/value/latest-value.ts';
import { keyOf } from '../data/value/pair.ts';
import { inOneTrip } from '../db/tenant.ts';
import type { App, Caller } from '../kernel/app/app.ts';
import { Forbidden } from '../kernel/errors.ts';
import { cursorAt } from '../kernel/feed/change.ts';
import type { Changes } from '../kernel/feed/follow.ts';
import { openStream } from '../kernel/request/event-stream.ts';
import { ENDINGS, framed, GAP, liveEventOf, liveValueOf, NAMES } from './answer.ts';
import type { AskedLive } from './asked.ts';
import { type EventReader, readEvents } from './events.ts';
import { subscribedBy, readFirstState } from './first-state.ts';

/** Values of one write. */
const CHUNK = 32;

type Behind = {
  caller: Caller;
  /** Identifies the caller anew; throws NotAuthenticated, Forbidden. */
  again(): Promise<Caller>;
};

/**
 * Answers with a stream of server-sent events (docs/specification/endpoints.md, Live stream) until the caller
 * leaves or may not hear it any more. Throws before the response has begun: Forbidden, TooManyRequests.
 */
export async function live(
  app: App,
  { caller, again }: Behind,
  asked: AskedLive,
  response: ServerResponse,
): Promise<void> {
  const { tenantId } = caller;
  const hears = subscribedBy(caller);
  if (hears.length === 0)
    throw new Forbidden('No permission to read anything that this stream sends');
  const devices = new Set(asked.devices);
  /** Values that wait, by point: the last one counts. */
  const due = new Map<string, LatestValue>();
  let events: EventReader | null = null;
  const early: Changes[] = [];
  let stopValues = (): void => {};

  const following = followPermitted(
    app,
    { caller, again },
    {
      tell: (news) => (events ? events.tell(news) : void early.push(news)),
      mayStill: (now) => String(subscribedBy(now)) === String(hears),
      goOn: flush,
      ended(why) {
        stopValues();
        stream.end(why === 'LEFT' ? '' : framed('end', { reason: why, say: ENDINGS[why] }));
      },
    },
  );
  const stream = openStream(app.clock, response, { room: flush, closed: following.end });
  const write = (text: string): boolean => following.mayTell() && stream.write(text);

  function flush(): void {
    while (due.size > 0) {
      const some = [...due.entries().take(CHUNK)];
      if (!write(some.map(([, value]) => framed('value', liveValueOf(value))).join(''))) return;
      for (const [key] of some) due.delete(key);
    }
    events?.goOn();
  }

  try {
    if (hears.includes('value') && asked.points.length > 0) {
      const values = await followValues(app, tenantId, asked.points, (changed) => {
        for (const value of changed) due.set(keyOf(value), value);
        flush();
      });
      stopValues = values.stop;
    }
    const { head, sync } = await onPresentFacts(app, caller, again, () =>
      inOneTrip(app.db, tenantId, (q) =>
        readFirstState(q, tenantId, asked, { hears, now: app.clock.now() }),
      ),
    );
    if (response.closed) return following.end();
    following.begin(head);
    stream.begin();
    const { cursor } = asked;
    write(framed('sync', sync, cursor === undefined ? cursorAt(head) : undefined));
    const start = { place: cursor ?? head, isBehind: cursor !== undefined };
    events = readEvents(app, tenantId, start, {
      concerns: ({ kind, deviceId, place }) =>
        hears.includes(NAMES[kind]) &&
        // `sync` says how the devices are, up to the head.
        (kind !== 'device' || (devices.has(deviceId) && BigInt(place) > BigInt(head))),
      event: (event) => write(framed(NAMES[event.kind], liveEventOf(event), cursorAt(event.place))),
      gap: (place) => write(framed('resume-gap', GAP, cursorAt(place))),
      isOver: () => response.closed || response.writableEnded,
    });
    for (const news of early) events.tell(news);
    flush();
  } catch (error) {
    following.end();
    throw error;
  }
}
