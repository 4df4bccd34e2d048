import { type RawBuilder, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { momentAcrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { Chain, type SealRow } from './chain.ts';
import { type OutsideHead, readHeads } from './outside-head.ts';
import { LATE_MS } from './seal.ts';
import {
  contentOf,
  FORMS,
  type Head,
  NO_HEAD,
  SEALED_LOGS,
  type SealedLog,
  TABLE_OF,
} from './sealed-log.ts';

const PAGE = 1_000;

/** What was found out about a log; `findings` are sentences, the first one first in the chain. */
export type Verified = {
  log: SealedLog;
  sealed: string;
  /** Newest rows that no seal covers yet. */
  unsealed: number;
  /** How many lines of the outside head were compared. */
  heads: number;
  findings: string[];
  /** Findings beyond those that are listed. */
  more: number;
};

/** Compares the rows of the three logs with their seals, and the seals with the heads of a file. */
export async function verifyAudit(app: App, headPath: string): Promise<Verified[]> {
  const heads = await headsIn(headPath);
  return momentAcrossTenants(app.db, 'audit', (q) => verifyIn(q, app.keys.auditSeal, heads));
}

/** The same in a transaction that sees all tenants; without `heads` there is no file of them. */
export async function verifyIn(
  q: Queries,
  key: Buffer,
  heads: readonly OutsideHead[] | null,
): Promise<Verified[]> {
  const verified: Verified[] = [];
  for (const log of SEALED_LOGS) verified.push(await verifyLog(q, key, log, heads));
  return verified;
}

/** Null: there is no file. */
export async function headsIn(path: string): Promise<OutsideHead[] | null> {
  const heads: OutsideHead[] = [];
  try {
    for await (const head of readHeads(path)) heads.push(head);
    return heads;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function verifyLog(
  q: Queries,
  key: Buffer,
  log: SealedLog,
  outside: readonly OutsideHead[] | null,
): Promise<Verified> {
  const heads = outside?.map((head) => ({ at: head.at, ...head[log] })) ?? [];
  const chain = new Chain(log, key, heads);
  for (let page = await sealsAfter(q, log, '0'); page.length > 0;) {
    for (const seal of page) chain.take(seal);
    page = await sealsAfter(q, log, page.at(-1)?.seq ?? '0');
  }
  const last: Head = chain.end();
  if (outside === null && last.count !== NO_HEAD.count)
    chain.find('the outside head is missing: seals that were cut off at the end would not be seen');
  const { late, unsealed } = await unsealedRows(q, log);
  for (const id of late)
    chain.find(`${TABLE_OF[log]} ${id}: inserted among older rows, or its seal was removed`);
  const { findings, more } = chain;
  return { log, sealed: last.count, unsealed, heads: heads.length, findings, more };
}

/** The form of a row decides which of its columns were sealed. */
function contentIn(log: SealedLog): RawBuilder<string | null> {
  const ways = FORMS[log].map((_, at) => sql`when ${at + 1} then ${contentOf(log, at + 1)}`);
  return sql<
    string | null
  >`case when l.id is not null then case s.form ${sql.join(ways, sql` `)} end end`;
}

async function sealsAfter(q: Queries, log: SealedLog, seq: string): Promise<SealRow[]> {
  const { rows } = await sql<SealRow & { sealTime: Date }>`
    select s.seq, s.row_id, s.form, s.mac, s.seal_time, ${contentIn(log)} as content
    from svc_audit_seal s left join ${sql.table(TABLE_OF[log])} l on l.id = s.row_id
    where s.log = ${log} and s.seq > ${seq} order by s.seq limit ${PAGE}`.execute(q);
  return rows.map(({ sealTime, ...seal }) => ({ ...seal, sealMs: sealTime.getTime() }));
}

/** At most a page of rows that came too late to be sealed, and how many wait for their seal. */
async function unsealedRows(
  q: Queries,
  log: SealedLog,
): Promise<{ late: string[]; unsealed: number }> {
  const table = sql.table(TABLE_OF[log]);
  const closed = sql`(select coalesce(max(row_id), 0) from svc_audit_seal where log = ${log} and seal_time <
    (select max(seal_time) from svc_audit_seal where log = ${log}) - ${`${LATE_MS} milliseconds`}::interval)`;
  const without = sql`not exists (select from svc_audit_seal s where s.log = ${log} and s.row_id = l.id)`;
  const late = await sql<{ id: string }>`
    select l.id from ${table} l where l.id <= ${closed} and ${without}
    order by l.id limit ${PAGE}`.execute(q);
  const fresh = await sql<{ count: string }>`
    select count(*) as count from ${table} l where l.id > ${closed} and ${without}`.execute(q);
  return { late: late.rows.map(({ id }) => id), unsealed: Number(fresh.rows[0]?.count ?? 0) };
}
