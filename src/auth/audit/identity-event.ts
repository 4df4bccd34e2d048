import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';

import { type Payload, topics } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inOneTripAcrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { startSweeper } from '../../kernel/app/sweeper.ts';

const EVERY_MS = 10_000;
/** The process that wrote it has so long to publish it; then any process does. */
const AGAIN_MS = 30_000;
/** Sent ones bound the next for so long (auth/login/guessed.ts). */
const SENT_KEPT_MS = 3_600_000;
/** A bus that is away for longer has other news. */
const UNSENT_KEPT_MS = 86_400_000;
const BATCH = 20;

type Event = Payload<'svc.e.identity'>;
type Notice = Event & { id: string };

/**
 * Stores an account security event for the notification channels of a tenant, in the caller's transaction. The caller
 * publishes the answer after the commit.
 */
export async function noticeIn(
  app: App,
  q: Queries,
  tenantId: string,
  { kind, message }: Pick<Event, 'kind' | 'message'>,
): Promise<Notice> {
  const notice = { id: randomUUID(), tenantId, kind, message };
  const now = app.clock.now();
  const at = new Date(now);
  await q
    .insertInto('svc_identity_notice')
    .values({ ...notice, occurTime: at, tryTime: at })
    .execute();
  return { ...notice, occurTime: now };
}

/** Publishes a stored event. One that the bus does not take now is published again later; never throws. */
export async function publishNotice(app: App, { id, ...event }: Notice): Promise<void> {
  try {
    await app.bus.publish('svc.e.identity', event, {
      key: event.tenantId,
      messageId: id,
      urgent: true,
    });
    await inOneTripAcrossTenants(app.db, 'sweeper', (q) =>
      q
        .updateTable('svc_identity_notice')
        .set({ sentTime: new Date(app.clock.now()) })
        .where('tenantId', '=', event.tenantId)
        .where('id', '=', id)
        .execute(),
    );
  } catch (error) {
    const { tenantId, kind } = event;
    app.log.warn(
      { error, tenantId, kind },
      'an account security event was not published, retrying',
    );
  }
}

/** Publishes what the bus did not take, until stopped. */
export function startNoticeSweeper(app: App): { stop(): Promise<void> } {
  return startSweeper(
    app,
    { everyMs: EVERY_MS, failed: 'sweep of account security events failed, retrying' },
    () => sweepNotices(app),
  );
}

/** Publishes the events that wait, those of each tenant in turn, and drops what is too old. */
export async function sweepNotices(app: App): Promise<void> {
  const now = app.clock.now();
  const before = (ms: number) => new Date(now - ms);
  const waiting = await acrossTenants(app.db, 'sweeper', async (q) => {
    await sql`delete from svc_identity_notice where occur_time < ${before(UNSENT_KEPT_MS)}
      or sent_time < ${before(SENT_KEPT_MS)}`.execute(q);
    const { rows } = await sql<Omit<Notice, 'occurTime'> & { occurTime: Date }>`
      update svc_identity_notice set try_time = ${new Date(now)} where id in (
        select id from svc_identity_notice
        where sent_time is null and try_time <= ${before(AGAIN_MS)}
        order by row_number() over (partition by tenant_id order by occur_time), occur_time
        limit ${BATCH})
      and try_time <= ${before(AGAIN_MS)}
      returning id, tenant_id, kind, message, occur_time`.execute(q);
    return rows;
  });
  for (const { id, occurTime, ...event } of waiting)
    await publishNotice(app, {
      id,
      ...topics['svc.e.identity'].payload.parse({ ...event, occurTime: occurTime.getTime() }),
    });
}
