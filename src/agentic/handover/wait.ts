import { allows } from '../../auth/permission/permission.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { Forbidden, Gone } from '../../kernel/errors.ts';
import { FEED_KINDS, type FeedKind } from '../../kernel/feed/change.ts';
import { watch } from '../../kernel/feed/watch.ts';
import { type EventPage, eventsAfter } from './events.ts';

/** What a caller needs to hear of changes of a kind: the same as for reading them. */
export const EVENT_NEEDS: Record<FeedKind, string> = {
  alarm: 'svc-center-data:dashboard:list',
  action: 'svc-center-agentic:action:get',
  command: 'svc-center-data:point_command_history:get',
  device: 'svc-center-manager:device:list',
};

type Waited = {
  /** A place; absent: from now on. */
  after?: string | undefined;
  kinds?: readonly FeedKind[] | undefined;
  deviceId?: string | undefined;
  limit: number;
  waitMs: number;
  signal?: AbortSignal | undefined;
  /** Called with the place from which it waits, whenever that moves on. */
  atPlace?: ((place: string) => void) | undefined;
};

export type Events = Omit<EventPage, 'isGone'> & { kinds: readonly FeedKind[] };

/**
 * What happened after a place, oldest first; if nothing did, waits for it, without a trip meanwhile. `upTo` is the
 * place for the next call. Throws Gone for a place whose successors are not kept any more, Forbidden, TooManyRequests.
 */
export const waitForEvents: Operation<Waited, Events> = async (app, caller, given) => {
  const { tenantId } = caller;
  const { deviceId = null, limit, waitMs, signal } = given;
  const kinds = FEED_KINDS.filter(
    (kind) => (given.kinds?.includes(kind) ?? true) && allows(caller, EVENT_NEEDS[kind]),
  );
  if (kinds.length === 0) throw new Forbidden('No permission to read events of these kinds');
  const endsAt = app.clock.elapsed() + waitMs;
  const watching = watch(
    app,
    caller,
    // An action may have writes to other devices than the one that it is filed under.
    ({ kind, ...change }) =>
      kinds.includes(kind) &&
      (deviceId === null || change.deviceId === deviceId || kind === 'action'),
    signal,
  );
  try {
    for (let after = given.after ?? null; ;) {
      const asked = { after, kinds, deviceId, limit };
      const { isGone, ...page } = await inOneTrip(app.db, tenantId, (q) =>
        eventsAfter(q, tenantId, asked, app.clock.now()),
      );
      if (isGone) throw new Gone(GONE);
      after = page.upTo;
      const restMs = endsAt - app.clock.elapsed();
      if (page.events.length > 0 || restMs <= 0 || watching.isOver()) return { ...page, kinds };
      given.atPlace?.(after);
      await watching.next(after, restMs);
    }
  } finally {
    watching.stop();
  }
};

const GONE =
  'What came after this cursor is not kept any more. Ask getHandover for what happened since you last read, then go on from now: leave the cursor out.';
