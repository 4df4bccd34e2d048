import { isDeepStrictEqual } from 'node:util';

import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { writeHead } from './outside-head.ts';
import {
  contentOf,
  formOf,
  type Head,
  type Heads,
  macOf,
  NO_HEAD,
  SEALED_LOGS,
  type SealedLog,
  TABLE_OF,
} from './sealed-log.ts';

const EVERY_MS = 5_000;
/** Rows that are committed later are found by the thorough run, which looks further back. */
const USUALLY_LATE_MS = 30_000;
const THOROUGH_MS = 60_000;
const HEAD_MS = 600_000;
/** Batches of one run; the next run continues. */
const MAX_BATCHES = 20;

/** Any fixed number: one process of an installation seals at a time. */
const ADVISORY_LOCK = 7_317_002;
/** Rows of a log in one transaction. */
const BATCH = 500;
/**
 * A row is committed within this time after a later one was sealed, or it is never sealed: what is put among old rows
 * cannot become a part of the chain. No transaction of the platform lasts as long.
 */
export const LATE_MS = 600_000;

/** `heads` null: another process is sealing. `isDone`: no row was left for another batch. */
type Run = { heads: Heads | null; isDone: boolean };

/** Seals one batch of each log; `lookBackMs` (at most LATE_MS) is how late a row may be to be found. */
export const sealBatch = (app: App, lookBackMs = LATE_MS): Promise<Run> =>
  acrossTenants(app.db, 'audit', async (q) => {
    const { rows } = await sql<{ isTaken: boolean }>`
      select pg_try_advisory_xact_lock(${ADVISORY_LOCK}) as is_taken`.execute(q);
    if (!rows[0]?.isTaken) return { heads: null, isDone: true };
    const now = app.clock.now();
    const heads = { identity: NO_HEAD, mcp: NO_HEAD, change: NO_HEAD };
    let isDone = true;
    for (const log of SEALED_LOGS) {
      const head = await headOf(q, log);
      const unsealed = await unsealedRows(q, log, now - lookBackMs);
      heads[log] = await append(app, q, { log, head, now }, unsealed);
      isDone &&= unsealed.length < BATCH;
    }
    return { heads, isDone };
  });

/** The last seal of a log. */
async function headOf(q: Queries, log: SealedLog): Promise<Head> {
  const head = await q
    .selectFrom('svc_audit_seal')
    .select(['seq as count', 'mac'])
    .where('log', '=', log)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return head ?? NO_HEAD;
}

type Row = { id: string; tenantId: string; content: string };

/** The oldest rows without a seal behind the last one that was sealed before `since` (ms since the epoch). */
async function unsealedRows(q: Queries, log: SealedLog, since: number): Promise<Row[]> {
  const table = sql.table(TABLE_OF[log]);
  const { rows } = await sql<Row>`
    select l.id, l.tenant_id, ${contentOf(log, formOf(log))} as content from ${table} l
    where l.id > coalesce((select s.row_id from svc_audit_seal s
        where s.log = ${log} and s.seal_time < ${new Date(since)} order by s.row_id desc limit 1), 0)
      and not exists (select from svc_audit_seal s where s.log = ${log} and s.row_id = l.id)
    order by l.id limit ${BATCH}`.execute(q);
  return rows;
}

type Place = { log: SealedLog; head: Head; now: number };

async function append(
  app: App,
  q: Queries,
  { log, head, now }: Place,
  rows: readonly Row[],
): Promise<Head> {
  if (rows.length === 0) return head;
  const form = formOf(log);
  let { count, mac } = head;
  const seals = rows.map(({ id, tenantId, content }) => {
    count = String(BigInt(count) + 1n);
    const sealed = { log, seq: count, rowId: id, form, sealMs: now, content };
    mac = macOf(app.keys.auditSeal, mac, sealed);
    return { tenant_id: tenantId, seq: count, row_id: id, mac };
  });
  // As one parameter: a batch of any size is the same prepared statement.
  await sql`insert into svc_audit_seal (tenant_id, log, seq, row_id, form, mac, seal_time)
    select tenant_id, ${log}, seq, row_id, ${form}, mac, ${new Date(now)}
    from jsonb_populate_recordset(null::svc_audit_seal, ${JSON.stringify(seals)}::jsonb)`.execute(
    q,
  );
  return { count, mac };
}

/** Seals the rows of the logs in the background until stopped, and writes the heads outside the database. */
export function startAuditSealer(app: App): { stop(): Promise<void> } {
  const sealer = new Sealer(app);
  let running = sealer.run();
  const cancel = app.clock.every(EVERY_MS, () => {
    running = sealer.run();
    return running;
  });
  return {
    async stop() {
      cancel();
      await running;
      await sealer.run({ isLast: true });
    },
  };
}

class Sealer {
  readonly #app: App;
  #thoroughAt = -Infinity;
  #headAt = -Infinity;
  #written: Heads | null = null;

  constructor(app: App) {
    this.#app = app;
  }

  /** Never throws; what could not be done is done by the next run. */
  async run({ isLast = false } = {}): Promise<void> {
    const { clock, log } = this.#app;
    try {
      const now = clock.elapsed();
      const isThorough = isLast || now - this.#thoroughAt >= THOROUGH_MS;
      const heads = await this.#seal(isThorough ? LATE_MS : USUALLY_LATE_MS);
      if (isThorough) this.#thoroughAt = now;
      if (heads && (isLast || now - this.#headAt >= HEAD_MS)) {
        this.#headAt = now;
        await this.#publishHeads(heads);
      }
    } catch (error) {
      log.error({ error }, 'audit rows not sealed, retrying');
    }
  }

  async #seal(lookBackMs: number): Promise<Heads | null> {
    for (let batch = 1; ; batch += 1) {
      const { heads, isDone } = await sealBatch(this.#app, lookBackMs);
      if (isDone || batch === MAX_BATCHES) return heads;
    }
  }

  async #publishHeads(heads: Heads): Promise<void> {
    if (isDeepStrictEqual(heads, this.#written)) return;
    const { config, clock, log } = this.#app;
    await writeHead(config.auditHead, heads, clock.now());
    const sealed = Object.entries(heads).filter(([, { count }]) => count !== '0');
    // One text each: a log line has no fields within fields.
    const texts = sealed.map(([name, { count, mac }]) => [name, `${count} ${mac}`]);
    if (sealed.length > 0) log.info(Object.fromEntries(texts), 'audit head');
    this.#written = heads;
  }
}
