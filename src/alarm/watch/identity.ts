import { sql } from 'kysely';

import type { Delivery } from '../../bus/bus.ts';
import type { Payload } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { storable } from '../../kernel/input/text.ts';
import {
  announceNotifications,
  combined,
  notifyWithoutAlarm,
  policiesOf,
} from '../ledger/notify.ts';
import { withoutRule } from '../message/alarm-event.ts';

type Event = Payload<'svc.e.identity'>;

const TITLES: Record<Event['kind'], string> = {
  AGENT_TRIED: 'An agent asked for what only people may do',
  LOGIN_GUESSED: 'Many failed logins for one name',
};

/** Consumes what is to be said of identities: notifications without an alarm. */
export async function startIdentityNotices(app: App): Promise<{ stop(): Promise<void> }> {
  const subscription = await app.bus.subscribe(
    'svc.e.identity',
    { queue: 'svc.q.identity', key: '#', prefetch: 1 },
    (event, delivery) => take(app, { ...event, message: storable(event.message) }, delivery),
  );
  return { stop: () => subscription.cancel() };
}

async function take(app: App, event: Event, { messageId }: Delivery): Promise<void> {
  const { tenantId, kind, message, occurTime } = event;
  const now = app.clock.now();
  const written = await inTenant(app.db, tenantId, async (q) => {
    if (await isTold(q, tenantId, messageId)) return combined([]);
    const about = {
      ...withoutRule({ tenantId, alarmId: '0', type: 'REPORT' }),
      name: TITLES[kind],
      level: 'P1' as const,
      target: 'EVENT' as const,
      entityId: '0',
      deviceId: '0',
      message,
      occurTime: Math.min(occurTime, now),
    };
    const by = await policiesOf(q, tenantId, 'IDENTITY');
    const policies = by.map(({ notifyId }) => notifyId);
    return notifyWithoutAlarm(q, about, { policies }, { now, messageOfBus: messageId });
  });
  await announceNotifications(app, tenantId, written);
}

/** Whether the same message was stored before: its publisher repeats one that was not confirmed. */
async function isTold(q: Queries, tenantId: string, messageId: string): Promise<boolean> {
  const row = await q
    .selectFrom('svc_notify_history')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('alarmId', '=', '0')
    .where(sql`request_ext ->> 'messageOfBus'`, '=', messageId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
