import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { findRow } from '../../kernel/entity/row.ts';
import { EnableFlag, nameOf } from '../../kernel/input/flag.ts';
import { AlarmType, ConfirmFlag } from '../kind/alarm.ts';
import { NotifyExt } from '../notify/policy-ext.ts';
import { AutoConfirm } from '../notify/policy.ts';

type Over = { tenantId: string; alarmId: string; now: number };

const MAX_POLICIES = 20;

const policies = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_notify')
    .select(['autoConfirmFlag', 'notifyExt'])
    .where('tenantId', '=', tenantId)
    .where('enableFlag', '=', EnableFlag.ENABLE)
    .orderBy('id')
    .limit(MAX_POLICIES);

type Policy = Awaited<ReturnType<ReturnType<typeof policies>['execute']>>[number];

/** Confirms a recovered alarm if the policy of its rule has auto-confirmation. */
export async function confirmIfAuto(
  q: Queries,
  { notifyId, ...over }: Over & { notifyId: string },
): Promise<void> {
  if (notifyId === '0') return;
  await confirmIf(q, over, await policies(q, over.tenantId).where('id', '=', notifyId).execute());
}

/** Same for alarms without a rule: policies that list the alarm type decide. */
export async function confirmWithoutRuleIfAuto(q: Queries, over: Over): Promise<void> {
  const { tenantId, alarmId } = over;
  const alarm = await findRow(q, 'svc_entity_alarm', tenantId, alarmId);
  if (!alarm) return;
  const types = JSON.stringify([nameOf(AlarmType, alarm.alarmTypeFlag)]);
  const asking = policies(q, tenantId).where(
    sql<boolean>`notify_ext #> '{content,alarmTypes}' @> ${types}::jsonb`,
  );
  await confirmIf(q, over, await asking.execute());
}

function isAuto({ autoConfirmFlag, notifyExt }: Policy): boolean {
  if (autoConfirmFlag === AutoConfirm.AUTO) return true;
  return NotifyExt.safeParse(notifyExt).data?.content.recovery?.autoConfirmOnRecovery === true;
}

async function confirmIf(
  q: Queries,
  { tenantId, alarmId, now }: Over,
  asked: readonly Policy[],
): Promise<void> {
  if (!asked.some(isAuto)) return;
  const at = new Date(now);
  await q
    .updateTable('svc_entity_alarm')
    .set({ confirmFlag: ConfirmFlag.CONFIRMED, confirmTime: at, operateTime: at })
    .where('tenantId', '=', tenantId)
    .where('id', '=', alarmId)
    .where('confirmFlag', '=', ConfirmFlag.UNCONFIRMED)
    .execute();
}

export async function isConfirmed(q: Queries, tenantId: string, alarmId: string): Promise<boolean> {
  const alarm = await findRow(q, 'svc_entity_alarm', tenantId, alarmId);
  return alarm?.confirmFlag === ConfirmFlag.CONFIRMED;
}
