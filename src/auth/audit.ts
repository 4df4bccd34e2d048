import type { App, Caller } from '../app.ts';
import type { Queries } from '../db/connect.ts';

type Entry = {
  action: 'CREATE' | 'DELETE' | 'ENABLE' | 'DISABLE' | 'LOGOUT' | 'CHANGE_PASSWORD';
  resourceType: string;
  resourceId: string;
  resourceName: string;
};

/** One row of the identity audit log, in the same transaction as what it tells of. */
export async function audit(
  app: App,
  q: Queries,
  who: Pick<Caller, 'tenantId' | 'principalId' | 'principalType'>,
  entry: Entry,
): Promise<void> {
  await q
    .insertInto('svc_identity_audit_log')
    .values({
      tenantId: who.tenantId,
      principalId: who.principalId,
      principalType: who.principalType,
      ...entry,
      status: 'SUCCESS',
      createTime: new Date(app.clock.now()),
    })
    .execute();
}
