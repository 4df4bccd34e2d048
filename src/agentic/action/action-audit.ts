import type { Caller } from '../../app.ts';
import type { Queries } from '../../db/connect.ts';

type Entry = {
  action: 'action:propose' | 'action:confirm' | 'action:reject';
  actionId: string;
  title: string;
  /** Facts only: digest seen, values, command id. */
  detail: Record<string, unknown>;
  at: Date;
};

/** Writes who did what to an Action, in the transaction that does it. */
export async function audit(q: Queries, caller: Caller, entry: Entry): Promise<void> {
  await q
    .insertInto('svc_identity_audit_log')
    .values({
      tenantId: caller.tenantId,
      principalId: caller.principalId,
      principalType: caller.principalType,
      action: entry.action,
      resourceType: 'ACTION',
      resourceId: entry.actionId,
      resourceName: entry.title,
      status: 'SUCCESS',
      detailExt: JSON.stringify({ via: caller.via, clientId: caller.clientId, ...entry.detail }),
      createTime: entry.at,
    })
    .execute();
}
