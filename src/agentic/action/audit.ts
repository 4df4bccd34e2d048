import type { Queries } from '../../db/connect.ts';
import type { Caller } from '../../kernel/app/app.ts';

type Entry = {
  action: `action:${'propose' | 'confirm' | 'reject' | 'void' | 'withdraw' | 'evidence' | 'stop'}`;
  actionId: string;
  title: string;
  /** Facts only: digest seen, values, command id. */
  detail: Record<string, unknown>;
  at: Date;
};

/** Audits an operation on an action, in the transaction of the operation. */
export const audit = (q: Queries, caller: Caller, { detail, ...entry }: Entry): Promise<void> =>
  insert(q, caller, {
    ...entry,
    detail: { via: caller.via, clientId: caller.clientId, ...detail },
  });

/** Audits evidence that the platform itself found: no principal acted. */
export const auditBySystem = (q: Queries, tenantId: string, entry: Entry): Promise<void> =>
  insert(q, { tenantId, principalId: '0', principalType: 'SYSTEM' }, entry);

type Who = { tenantId: string; principalId: string; principalType: string };

async function insert(q: Queries, who: Who, entry: Entry): Promise<void> {
  await q
    .insertInto('svc_identity_audit_log')
    .values({
      tenantId: who.tenantId,
      principalId: who.principalId,
      principalType: who.principalType,
      action: entry.action,
      resourceType: 'ACTION',
      resourceId: entry.actionId,
      resourceName: entry.title,
      status: 'SUCCESS',
      detailExt: JSON.stringify(entry.detail),
      createTime: entry.at,
    })
    .execute();
}
