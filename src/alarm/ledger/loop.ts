import { sql } from 'kysely';

import { acrossTenants, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { startSweeper } from '../../kernel/app/sweeper.ts';
import { findRow } from '../../kernel/entity/row.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { slot } from '../../kernel/slot.ts';
import { writingOf } from '../message/alarm-link.ts';
import { attend, type Attended } from './attend.ts';
import { announceNotifications } from './notify.ts';
import { isMissed } from './unnotified.ts';

const SWEEP_MS = 2_000;
/** Alarms per sweep: in all, and per tenant. */
const BATCH = { overall: 200, perTenant: 50 };

type Due = { tenantId: string; alarmId: string };

/** Looks again at what channels know when it is due: ends of windows and limits, reminders, receivers that were away. */
export const startLedger = (app: App): { stop(): Promise<void> } =>
  startSweeper(
    app,
    { everyMs: SWEEP_MS, failed: 'the sweep of the ledger of notifications failed, retrying' },
    () => sweepLedger(app),
  );

const UNREACHED = slot(() => ({ channels: 0 }));

/** The warning of `/readyz` about channels with failing deliveries, as the last sweep of this process counted them. */
export function ledgerWarnings(app: App): string[] {
  const channels = unnotifiedChannels(app);
  if (channels === 0) return [];
  const those = channels === 1 ? '1 channel does' : `${channels} channels do`;
  return [`notifications: ${those} not know of firing alarms, because deliveries fail`];
}

/** Channels that failed deliveries keep from knowing of alarms that fire, as the last sweep of this process counted. */
export const unnotifiedChannels = (app: App): number => app.of(UNREACHED).channels;

/** Attends to the alarms that are due, at most 200 a run; the next run goes on. */
export async function sweepLedger(app: App): Promise<void> {
  for (const due of await dueAlarms(app))
    await attendTo(app, due).catch((error: unknown) => {
      if (error instanceof Unavailable) throw error;
      app.log.error({ error, ...due }, 'the channels of an alarm were not looked at, retrying');
    });
  app.of(UNREACHED).channels = await unreached(app);
}

/** The channels of all tenants that failed deliveries keep from knowing of alarms. */
const unreached = ({ db }: App): Promise<number> =>
  acrossTenants(db, 'sweeper', async (q) => {
    const { rows } = await sql<{ channels: number }>`
      select count(distinct (l.tenant_id, l.channel_id))::int as channels from svc_notify_ledger l
      join svc_entity_alarm a on a.tenant_id = l.tenant_id and a.id = l.alarm_id
      where ${isMissed} and l.failure_count > 0`.execute(q);
    return rows[0]?.channels ?? 0;
  });

/** Alarms with a due row, those of each tenant in turn. */
function dueAlarms({ db, clock }: App): Promise<Due[]> {
  const at = new Date(clock.now());
  return acrossTenants(db, 'sweeper', async (q) => {
    const { rows } = await sql<Due>`
      select "tenantId", "alarmId" from (
        select tenant_id as "tenantId", alarm_id as "alarmId", min(due_time) as due,
          row_number() over (partition by tenant_id order by min(due_time), alarm_id) as turn
        from svc_notify_ledger where end_time is null and due_time <= ${at}
        group by tenant_id, alarm_id) due
      where turn <= ${BATCH.perTenant} order by turn, due limit ${BATCH.overall}`.execute(q);
    return rows;
  });
}

async function attendTo(app: App, { tenantId, alarmId }: Due): Promise<void> {
  const attended = await inTenant(app.db, tenantId, async (q): Promise<Attended> => {
    // In the order of an evaluation: the rule state, then the alarm.
    await q
      .selectFrom('svc_rule_state')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('alarmId', '=', alarmId)
      .forUpdate()
      .execute();
    const alarm = await findRow(q, 'svc_entity_alarm', tenantId, alarmId);
    return alarm ? attend(q, alarm, writingOf(app)) : { written: [], suppressed: [] };
  });
  // What was left out at first is logged then; a sweep repeats it.
  await announceNotifications(app, tenantId, { ...attended, suppressed: [] });
}
