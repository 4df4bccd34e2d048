import type { Queries } from '../../db/connect.ts';
import type { App, Caller } from '../../kernel/app/app.ts';

export type AuditAction =
  | 'CREATE'
  | 'UPDATE'
  | 'DELETE'
  | 'ENABLE'
  | 'DISABLE'
  | 'CONFIRM'
  | 'UNCONFIRM'
  | 'SILENCE'
  | 'UNSILENCE'
  | 'TEST'
  | 'IMPORT'
  | 'LOGIN'
  | 'LOGOUT'
  | 'REVOKE'
  | 'THROTTLE'
  | 'CHANGE_PASSWORD'
  | 'RESET_PASSWORD';

export type AuditEntry = {
  action: AuditAction;
  resourceType: string;
  resourceId: string;
  resourceName: string;
  status?: 'SUCCESS' | 'FAILED';
  errorCode?: string;
  /** Instead of the address of the call. */
  source?: string;
  /** Further facts; never a secret. */
  detail?: Record<string, unknown>;
};

/** The entries about one kind of row, which has its name in the column `name`. */
export const entriesOf =
  <N extends string>(resourceType: string, name: N) =>
  (action: AuditAction, row: { id: string } & Record<N, string>): AuditEntry => ({
    action,
    resourceType,
    resourceId: row.id,
    resourceName: row[name],
  });

const STAMPS = new Set(['operatorId', 'operatorName', 'operateTime']);
const SECRET = /^password(?!ExpireTime)|hash|secret/i;

/**
 * The detail of an update: of the fields that it changes the old and the new value, `field → [old, new]`; of secrets
 * and of whole objects only `changed`.
 */
export function changesOf(old: object, change: object): { changes: Record<string, unknown> } {
  const before = new Map<string, unknown>(Object.entries(old));
  const changes = Object.entries(change).flatMap(([field, value]): [string, unknown][] => {
    const was = before.get(field);
    if (value === undefined || STAMPS.has(field)) return [];
    if (JSON.stringify(was) === JSON.stringify(value)) return [];
    const isHidden = SECRET.test(field) || (typeof was === 'object' && !isTime(was));
    return [[field, isHidden ? 'changed' : [was ?? null, value]]];
  });
  return { changes: Object.fromEntries(changes) };
}

const isTime = (value: unknown): boolean => value === null || value instanceof Date;

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
