import type { App, Caller } from '../app.ts';
import type { Queries } from '../db/connect.ts';

export type AuditAction =
  | 'CREATE'
  | 'UPDATE'
  | 'DELETE'
  | 'ENABLE'
  | 'DISABLE'
  | 'CONFIRM'
  | 'UNCONFIRM'
  | 'IMPORT'
  | 'LOGIN'
  | 'LOGOUT'
  | 'CHANGE_PASSWORD'
  | 'RESET_PASSWORD';

export type AuditEntry = {
  action: AuditAction;
  resourceType: string;
  resourceId: string;
  resourceName: string;
  status?: 'SUCCESS' | 'FAILED';
  errorCode?: string;
  /** Further facts; never a secret. */
  detail?: Record<string, unknown>;
};

/** Writes one row of the identity audit log, in the transaction of the change it records. */
export async function audit(
  app: App,
  q: Queries,
  who: Pick<Caller, 'tenantId' | 'principalId' | 'principalType'>,
  { detail, status = 'SUCCESS', ...entry }: AuditEntry,
): Promise<void> {
  await q
    .insertInto('svc_identity_audit_log')
    .values({
      tenantId: who.tenantId,
      principalId: who.principalId,
      principalType: who.principalType,
      ...entry,
      status,
      ...(detail ? { detailExt: JSON.stringify(detail) } : {}),
      createTime: new Date(app.clock.now()),
    })
    .execute();
}
