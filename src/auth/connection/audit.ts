import { hash } from 'node:crypto';

import { type Insertable, sql } from 'kysely';

import { relyingOn } from '../../db/basis.ts';
import type { Queries } from '../../db/connect.ts';
import type { McpAuditLogTable } from '../../db/schema/access.ts';
import { inOneTripAcrossTenants } from '../../db/tenant.ts';
import type { App, Caller, Tool } from '../../kernel/app/app.ts';
import { storable } from '../../kernel/input/text.ts';
import { slot } from '../../kernel/slot.ts';
import { riskOf } from './tool.ts';

const MAX_QUEUED = 10_000;
const BATCH = 200;
/** Calls within this time share one transaction, which costs more than a row. A crash loses them. */
const GATHER_MS = 50;

type Row = Insertable<McpAuditLogTable>;

/** Name and version that an MCP client reports, and its address. */
export type McpClient = { name: string; version: string; remoteIp: string };

export type McpCall = {
  toolName: string;
  /** Undefined for an unknown tool or resource. */
  tool: Pick<Tool, 'name' | 'permission' | 'scope'> | undefined;
  input: unknown;
  connectionId: string;
  client: McpClient;
  status: 'SUCCESS' | 'DENIED' | 'POLICY_DENIED' | 'ERROR';
  errorCode?: string;
  durationMs: number;
  /** Of the trace of its client (W3C Trace Context), 32 hexadecimal digits; empty without one. */
  traceId: string;
};

type HeardBatch = { rows: readonly ReadTextRow[]; written: PromiseWithResolvers<void> };

/** Calls that wait to be written, and what was read in them. */
const MCP_AUDIT = slot(() => ({
  rows: [] as Row[],
  heard: [] as HeardBatch[],
  lost: 0,
  writing: Promise.resolve(),
  busy: false,
  /** `mcpCallsWritten` is waiting: rows are written without gathering a batch. */
  hurried: false,
  /** Ends the wait for further rows of a batch. */
  go: () => {},
}));

/** Records one tool call in the background: the call does not wait and cannot fail because of it. */
export function recordMcpCall(app: App, caller: Caller, call: McpCall): void {
  const queue = app.of(MCP_AUDIT);
  if (queue.rows.length >= MAX_QUEUED) {
    queue.lost += 1;
    return;
  }
  queue.rows.push(rowOf(app, caller, call));
  if (queue.rows.length >= BATCH) queue.go();
  begin(app);
}

/** Writes what a model is about to read with the next batch of calls, at once; throws when that fails. */
export function recordRead(app: App, rows: readonly ReadTextRow[]): Promise<void> {
  const queue = app.of(MCP_AUDIT);
  const written = Promise.withResolvers<void>();
  queue.heard.push({ rows, written });
  queue.go();
  begin(app);
  return written.promise;
}

function begin(app: App): void {
  const queue = app.of(MCP_AUDIT);
  if (queue.busy) return;
  queue.busy = true;
  // A batch has the calls of many callers: it relies on none of them.
  queue.writing = relyingOn(null, () => write(app));
}

/** Resolves when the queue is empty: every recorded call is written, or its write has failed. */
export function mcpCallsWritten(app: App): Promise<void> {
  const queue = app.of(MCP_AUDIT);
  queue.hurried = queue.busy;
  queue.go();
  return queue.writing;
}

async function write(app: App): Promise<void> {
  const queue = app.of(MCP_AUDIT);
  while (queue.rows.length + queue.heard.length > 0) {
    await gathered(app);
    const batch = queue.rows.splice(0, BATCH);
    const heard = queue.heard.splice(0, BATCH);
    const heardRows = heard.flatMap(({ rows }) => rows);
    try {
      await inOneTripAcrossTenants(app.db, 'audit', (q) =>
        Promise.all([
          batch.length > 0 && insert(q, batch),
          heardRows.length > 0 && insertReadTexts(q, heardRows),
        ]),
      );
      for (const { written } of heard) written.resolve();
    } catch (error) {
      for (const { written } of heard) written.reject(error);
      queue.lost += batch.length;
      app.log.error({ error, lost: queue.lost }, 'MCP audit rows not saved');
    }
  }
  queue.busy = false;
  queue.hurried = false;
}

/** As one parameter: a batch of any size is the same prepared statement. */
async function insert(q: Queries, batch: readonly Row[]): Promise<void> {
  const names = Object.keys(batch[0] ?? {}).map(snakeCase);
  // `rowOf` gives every row the same columns in the same order.
  const rows = batch.map((row) =>
    Object.fromEntries(Object.values(row).map((value, at) => [names[at], value])),
  );
  const columns = sql.join(names.map((name) => sql.ref(name)));
  await sql`insert into svc_mcp_audit_log (${columns}) select ${columns}
    from jsonb_populate_recordset(null::svc_mcp_audit_log, ${JSON.stringify(rows)}::jsonb)`.execute(
    q,
  );
}

const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function gathered(app: App): Promise<void> {
  const queue = app.of(MCP_AUDIT);
  if (queue.hurried || queue.rows.length >= BATCH || queue.heard.length > 0)
    return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = app.clock.after(GATHER_MS, resolve);
  queue.go = resolve;
  return promise.finally(cancel);
}

function digest(given: unknown): string {
  try {
    return hash('sha256', JSON.stringify(given) ?? '');
  } catch {
    // Nested too deep for JSON.stringify: the call is refused, but still recorded.
    return '';
  }
}

function rowOf(app: App, caller: Caller, call: McpCall): Row {
  const { tool, client } = call;
  return {
    tenantId: caller.tenantId,
    principalId: caller.principalId,
    principalType: caller.principalType === 'USER' ? 'USER' : 'SERVICE_ACCOUNT',
    clientId: caller.clientId ?? '',
    connectionId: call.connectionId,
    toolId: tool?.name ?? '',
    toolName: storable(call.toolName.slice(0, 128)),
    permissionCode: tool?.permission ?? '',
    riskLevel: tool ? riskOf(tool) : 'LOW',
    argumentDigest: digest(call.input),
    status: call.status,
    errorCode: call.errorCode ?? '',
    traceId: call.traceId,
    durationMs: Math.max(0, Math.round(call.durationMs)),
    clientName: storable(client.name.slice(0, 128)),
    clientVersion: storable(client.version.slice(0, 64)),
    remoteIp: storable(client.remoteIp.slice(0, 64)),
    createTime: new Date(app.clock.now()),
  };
}

/** A row of svc_heard_text, by its columns. */
export type ReadTextRow = Record<
  'tenant_id' | 'user_id' | 'client_id' | 'digest' | 'tool' | 'field' | 'subject' | 'text',
  string
> & { read_time: Date; expire_time: Date };

export const keyOf = (row: ReadTextRow): string =>
  [row.tenant_id, row.user_id, row.client_id, row.digest].join(' ');

/** As one parameter; in the order of their keys, so that two batches cannot wait for each other. */
async function insertReadTexts(q: Queries, rows: readonly ReadTextRow[]): Promise<void> {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  const sorted = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  await sql`insert into svc_heard_text
    select * from jsonb_populate_recordset(null::svc_heard_text, ${JSON.stringify(sorted)}::jsonb)
    on conflict (tenant_id, user_id, client_id, digest)
    do update set read_time = excluded.read_time, expire_time = excluded.expire_time`.execute(q);
}
