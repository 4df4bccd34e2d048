import { sql } from 'kysely';

import { relyingOn } from '../../db/basis.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTripAcrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { storable } from '../../kernel/input/text.ts';
import { slot } from '../../kernel/slot.ts';
import { DEFAULT_TENANT } from '../permission/platform.ts';

const MAX_QUEUED = 2_000;
const BATCH = 200;
/** Rows within this time share one transaction. A crash loses them. */
const GATHER_MS = 250;
const MAX_NAME = 256;

/** A row of the identity audit log about something that no transaction of ours belongs to. */
export type BackgroundRow = {
  /** Null: the tenant and the principal of the key or client, or else the platform's tenant. */
  who: { tenantId: string; principalId: string; principalType: string } | null;
  /** Prefix of a key, or id of an OAuth client, as it was shown; empty without one. */
  credential: string;
  action: string;
  resourceType: string;
  resourceId?: string;
  resourceName: string;
  status: 'SUCCESS' | 'FAILED' | 'DENIED';
  errorCode: string;
  /** Further facts; never a secret. */
  detail: Record<string, unknown>;
  source: string;
  /** Milliseconds since the epoch. */
  at: number;
};

/** Rows that wait to be written. */
const AUDIT_QUEUE = slot(() => ({
  rows: [] as BackgroundRow[],
  lost: 0,
  writing: Promise.resolve(),
  isBusy: false,
  /** Nothing more is waited for: the rest is written at once. */
  isHurried: false,
  /** Ends the wait for further rows of a batch. */
  go: () => {},
}));

/** Takes a row that is written in the background; of too many, those that come last are counted only. */
export function queueAudit(app: App, row: BackgroundRow): void {
  const queue = app.of(AUDIT_QUEUE);
  if (queue.rows.length >= MAX_QUEUED) {
    queue.lost += 1;
    return;
  }
  queue.rows.push(row);
  if (queue.isBusy) return;
  queue.isBusy = true;
  // A batch has the rows of many callers: it relies on none of them.
  queue.writing = relyingOn(null, () => write(app));
}

/** Resolves when every row taken so far is written, or its write has failed. */
export function auditQueueWritten(app: App): Promise<void> {
  const queue = app.of(AUDIT_QUEUE);
  queue.isHurried = queue.isBusy;
  queue.go();
  return queue.writing;
}

async function write(app: App): Promise<void> {
  const queue = app.of(AUDIT_QUEUE);
  while (queue.rows.length > 0) {
    await gathered(app);
    const batch = queue.rows.splice(0, BATCH);
    try {
      await inOneTripAcrossTenants(app.db, 'audit', (q) => insert(q, batch));
    } catch (error) {
      queue.lost += batch.length;
      app.log.error({ error }, 'audit rows not saved');
    }
    if (queue.lost === 0) continue;
    app.log.error({ lost: queue.lost }, 'audit rows were lost');
    queue.lost = 0;
  }
  queue.isBusy = false;
  queue.isHurried = false;
}

function gathered(app: App): Promise<void> {
  const queue = app.of(AUDIT_QUEUE);
  if (queue.isHurried || queue.rows.length >= BATCH) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = app.clock.after(GATHER_MS, resolve);
  queue.go = resolve;
  return promise.finally(cancel);
}

/** As one parameter: a batch of any size is the same prepared statement. */
const insert = (q: Queries, batch: readonly BackgroundRow[]) =>
  sql`insert into svc_identity_audit_log (tenant_id, principal_id, principal_type, action, resource_type,
      resource_id, resource_name, status, error_code, detail_ext, source, create_time)
    select coalesce(r.tenant_id, found.tenant_id,
        (select id from svc_tenant where tenant_code = ${DEFAULT_TENANT}), 0),
      coalesce(r.principal_id, found.principal_id, 0),
      coalesce(r.principal_type, found.principal_type, 'SYSTEM'),
      r.action, r.resource_type, r.resource_id, r.resource_name, r.status, r.error_code, r.detail, r.source, r.at
    from jsonb_to_recordset(${JSON.stringify(batch.map(recordOf))}::jsonb) as r (place int, tenant_id bigint,
      principal_id bigint, principal_type text, credential text, action text, resource_type text,
      resource_id text, resource_name text, status text, error_code text, detail jsonb, source text, at timestamptz)
    left join lateral (
      select k.tenant_id, k.principal_id, k.principal_type from svc_key k
      where r.tenant_id is null and k.key_prefix = r.credential
      union all
      select c.tenant_id, c.service_account_principal_id, 'SERVICE_ACCOUNT' from svc_oauth_client c
      where r.tenant_id is null and c.client_id = r.credential
      limit 1) found on true
    order by r.place`.execute(q);

const recordOf = ({ who, at, detail, ...row }: BackgroundRow, place: number) => ({
  place,
  tenant_id: who?.tenantId ?? null,
  principal_id: who?.principalId ?? null,
  principal_type: who?.principalType ?? null,
  credential: row.credential,
  action: row.action,
  resource_type: row.resourceType,
  resource_id: row.resourceId ?? '',
  resource_name: storable(row.resourceName.slice(0, MAX_NAME)),
  status: row.status,
  error_code: row.errorCode,
  detail,
  source: row.source,
  at: new Date(at).toISOString(),
});
