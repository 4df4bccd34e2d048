import { sql } from 'kysely';

import { relyingOn } from '../../db/basis.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip, inOneTripAcrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { BUDGETS } from '../../kernel/process/agent-budget.ts';
import {
  type Amounts,
  type Buckets,
  HOUR_MS,
  keepUsage,
  type Subject,
  type Usage,
  AGENT_USAGE,
} from './usage.ts';

/** What is used within this time is written together; other processes read it with their next write. */
const GATHER_MS = 1_000;
const BATCH = 500;

/** Reads what subjects of a tenant used in the last hour. */
export async function loadUsage(app: App, subjects: readonly Subject[]): Promise<Usage[]> {
  const [first] = subjects;
  if (!first) return [];
  const rows = await relyingOn(null, () =>
    inOneTrip(app.db, first.tenantId, (q) => readSubjects(q, subjects, app.clock.now())),
  );
  return subjects.map((subject) => keepUsage(app, subject, bucketsOf(rows, subject)));
}

/** Writes what was used, soon and in the background. */
export function writeUsageSoon(app: App): void {
  const state = app.of(AGENT_USAGE);
  if (state.isBusy) return;
  state.isBusy = true;
  state.isHurried = false;
  // A batch has the usage of many callers: it relies on none of them.
  state.writing = relyingOn(null, () => writeAll(app));
}

/** Resolves when everything used so far is written, or its write has failed. */
export function usageWritten(app: App): Promise<void> {
  const state = app.of(AGENT_USAGE);
  state.isHurried = true;
  state.go();
  return state.writing;
}

async function writeAll(app: App): Promise<void> {
  const state = app.of(AGENT_USAGE);
  try {
    while (state.unwritten.size > 0) {
      if (!state.isHurried) await gathered(app);
      await writeSome(app, [...state.unwritten].slice(0, BATCH));
    }
  } catch (error) {
    // Kept, and written with what is used next.
    app.log.warn({ error }, 'the usage of agents was not saved');
  } finally {
    state.isBusy = false;
    state.isHurried = false;
  }
}

function gathered(app: App): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = app.clock.after(GATHER_MS, resolve);
  app.of(AGENT_USAGE).go = resolve;
  return promise.finally(cancel);
}

/** In one trip: adds what is fresh, drops what does not count any more, and reads what all processes wrote. */
async function writeSome(app: App, usages: readonly Usage[]): Promise<void> {
  const { unwritten } = app.of(AGENT_USAGE);
  const now = app.clock.now();
  const taken = usages.map((usage) => {
    const { fresh } = usage;
    usage.fresh = new Map();
    unwritten.delete(usage);
    return { usage, fresh };
  });
  // While they are on their way they count as stored.
  for (const { usage, fresh } of taken) usage.stored = sumOf(usage.stored, fresh);
  const rows = taken.flatMap(({ usage: { subject }, fresh }) =>
    [...fresh].map(([begin, amounts]) => rowOf(subject, begin, amounts)),
  );
  const subjects = usages.map(({ subject }) => subject);
  try {
    const [, read] = await inOneTripAcrossTenants(app.db, 'agents', (q) =>
      Promise.all([insertUsage(q, rows), readSubjects(q, subjects, now)]),
    );
    for (const usage of usages) usage.stored = bucketsOf(read, usage.subject);
  } catch (error) {
    for (const { usage, fresh } of taken) {
      usage.stored = sumOf(usage.stored, fresh, -1);
      usage.fresh = sumOf(usage.fresh, fresh);
      unwritten.add(usage);
    }
    throw error;
  }
}

function sumOf(one: Buckets, other: Buckets, sign: 1 | -1 = 1): Buckets {
  const sum: Buckets = new Map(one);
  for (const [begin, amounts] of other) {
    const before = sum.get(begin);
    const both = { ...amounts };
    for (const budget of BUDGETS) both[budget] = (before?.[budget] ?? 0) + sign * amounts[budget];
    sum.set(begin, both);
  }
  return sum;
}

const rowOf = ({ tenantId, kind, id }: Subject, begin: number, amounts: Amounts) => ({
  tenant_id: tenantId,
  kind,
  subject_id: id,
  bucket: new Date(begin).toISOString(),
  calls: amounts.calls,
  device_reads: amounts.deviceReads,
  proposals: amounts.proposals,
  output_tokens: amounts.outputTokens,
});

/** In the order of their keys: two processes that write the same ones do not wait for each other in a circle. */
const insertUsage = (q: Queries, rows: readonly object[]) =>
  sql`insert into svc_agent_usage
    (tenant_id, kind, subject_id, bucket, calls, device_reads, proposals, output_tokens)
    select tenant_id, kind, subject_id, bucket, calls, device_reads, proposals, output_tokens
    from jsonb_populate_recordset(null::svc_agent_usage, ${JSON.stringify(rows)}::jsonb)
    order by tenant_id, kind, subject_id, bucket
    on conflict (tenant_id, kind, subject_id, bucket) do update set
      calls = svc_agent_usage.calls + excluded.calls,
      device_reads = svc_agent_usage.device_reads + excluded.device_reads,
      proposals = svc_agent_usage.proposals + excluded.proposals,
      output_tokens = svc_agent_usage.output_tokens + excluded.output_tokens`.execute(q);

const listOf = (subjects: readonly Subject[]) =>
  sql`(select tenant_id, kind, subject_id from jsonb_populate_recordset(null::svc_agent_usage,
    ${JSON.stringify(subjects.map(({ tenantId, kind, id }) => ({ tenant_id: tenantId, kind, subject_id: id })))}::jsonb))`;

/** Deletes what counts no more at `now` (ms since the epoch), of all subjects, at most BATCH. */
export const dropOldUsage = (q: Queries, now: number) =>
  sql`delete from svc_agent_usage where (tenant_id, kind, subject_id, bucket) in (
    select tenant_id, kind, subject_id, bucket from svc_agent_usage
    where bucket <= ${new Date(now - 2 * HOUR_MS)} limit ${BATCH} for update skip locked)`.execute(
    q,
  );

type UsageRow = { tenantId: string; kind: string; subjectId: string; bucket: Date } & Record<
  (typeof BUDGETS)[number],
  string
>;

async function readSubjects(
  q: Queries,
  subjects: readonly Subject[],
  now: number,
): Promise<UsageRow[]> {
  const { rows } = await sql<UsageRow>`select * from svc_agent_usage
    where (tenant_id, kind, subject_id) in ${listOf(subjects)}
    and bucket > ${new Date(now - HOUR_MS)}`.execute(q);
  return rows;
}

/** What a connection and its principal used in the last hour. */
export async function readUsage(
  q: Queries,
  now: number,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
): Promise<UsageRow[]> {
  const { rows } = await sql<UsageRow>`select u.* from svc_agent_usage u
    join svc_mcp_connection c on c.tenant_id = u.tenant_id and c.id = ${connectionId}
    where u.tenant_id = ${tenantId} and u.bucket > ${new Date(now - HOUR_MS)}
    and ((u.kind = 'connection' and u.subject_id = c.id)
      or (u.kind = 'principal' and u.subject_id = c.principal_id))`.execute(q);
  return rows;
}

/** The usage of a subject in rows that were read. */
export const usageIn = (rows: readonly UsageRow[], subject: Subject): Usage => ({
  subject,
  stored: bucketsOf(rows, subject),
  fresh: new Map(),
});

function bucketsOf(rows: readonly UsageRow[], { tenantId, kind, id }: Subject): Buckets {
  const mine = rows.filter(
    (row) => row.tenantId === tenantId && row.kind === kind && row.subjectId === id,
  );
  return new Map(
    mine.map(({ bucket, calls, deviceReads, proposals, outputTokens }) => [
      bucket.getTime(),
      {
        calls: Number(calls),
        deviceReads: Number(deviceReads),
        proposals: Number(proposals),
        outputTokens: Number(outputTokens),
      },
    ]),
  );
}
