import type { Queries } from '../../db/connect.ts';
import { ConfirmFlag } from '../entity-alarm.ts';
import { NotifyExt } from '../notify/notify-ext.ts';
import { AutoConfirm } from '../notify/notify.ts';
import type { Step } from './step.ts';

/** A notification policy may say that nobody has to confirm what is over. */
export async function confirmIfAuto(
  { q, tenantId, rule, now }: Pick<Step, 'q' | 'tenantId' | 'rule' | 'now'>,
  alarmId: string,
): Promise<void> {
  if (rule.notifyId === '0') return;
  const policy = await q
    .selectFrom('svc_notify')
    .select(['autoConfirmFlag', 'notifyExt'])
    .where('tenantId', '=', tenantId)
    .where('id', '=', rule.notifyId)
    .executeTakeFirst();
  const ext = NotifyExt.safeParse(policy?.notifyExt);
  const onRecovery = ext.data?.content.recovery?.autoConfirmOnRecovery === true;
  if (policy?.autoConfirmFlag !== AutoConfirm.AUTO && !onRecovery) return;
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
  const alarm = await q
    .selectFrom('svc_entity_alarm')
    .select('confirmFlag')
    .where('tenantId', '=', tenantId)
    .where('id', '=', alarmId)
    .executeTakeFirst();
  return alarm?.confirmFlag === ConfirmFlag.CONFIRMED;
}
