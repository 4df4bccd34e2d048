import { createHmac } from 'node:crypto';

import { type RawBuilder, sql } from 'kysely';

/** The logs that are sealed, each a chain of its own. */
export const SEALED_LOGS = ['identity', 'mcp', 'change'] as const;
export type SealedLog = (typeof SEALED_LOGS)[number];

export const TABLE_OF = {
  identity: 'svc_identity_audit_log',
  mcp: 'svc_mcp_audit_log',
  change: 'svc_change_log',
} as const satisfies Record<SealedLog, string>;

/**
 * The columns that a seal covers beside the id, by the number of its form, from 1. A form never changes: a column that a
 * migration adds comes with a new form, and rows that were sealed before keep theirs.
 */
export const FORMS: Record<SealedLog, readonly (readonly string[])[]> = {
  identity: [
    [
      'tenant_id',
      'principal_id',
      'principal_type',
      'action',
      'resource_type',
      'resource_id',
      'resource_name',
      'status',
      'error_code',
      'detail_ext',
      'source',
      'create_time',
    ],
  ],
  mcp: [
    [
      'trace_id',
      'tenant_id',
      'principal_id',
      'principal_type',
      'client_id',
      'connection_id',
      'tool_id',
      'tool_name',
      'permission_code',
      'risk_level',
      'confirm_id',
      'idempotency_key',
      'argument_digest',
      'status',
      'error_code',
      'duration_ms',
      'client_name',
      'client_version',
      'remote_ip',
      'audit_ext',
      'create_time',
    ],
  ],
  change: [
    [
      'tenant_id',
      'entity_type',
      'entity_id',
      'entity_name',
      'device_id',
      'point_id',
      'operation',
      'changes',
      'actor_id',
      'actor_name',
      'actor_via',
      'source',
      'create_time',
    ],
  ],
};

/** The form that new rows are sealed in. */
export const formOf = (log: SealedLog): number => FORMS[log].length;

/** The columns of row `l` in a form as one text, the same on every engine and in every time zone. */
export function contentOf(log: SealedLog, form: number): RawBuilder<string> {
  const columns = FORMS[log][form - 1];
  if (!columns) throw new Error(`there is no form ${form} of the ${log} log`);
  const parts = columns.map((name) =>
    name === 'create_time'
      ? sql`to_char(l.create_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`
      : sql.ref(`l.${name}`),
  );
  return sql<string>`jsonb_build_array(${sql.join(parts)})::text`;
}

/** What a seal is made of; `content` is null for a row that is not there. */
export type Sealed = {
  log: SealedLog;
  seq: string;
  rowId: string;
  form: number;
  /** Milliseconds since the epoch. */
  sealMs: number;
  content: string | null;
};

/** The keyed hash of a row after the one before it in the chain; the first has none before it. */
export const macOf = (
  key: Buffer,
  before: string,
  { log, seq, rowId, form, sealMs, content }: Sealed,
): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([before, log, seq, rowId, form, sealMs, content]))
    .digest('base64url');

/** How far a chain has come: its last seal. */
export type Head = { count: string; mac: string };
export type Heads = Record<SealedLog, Head>;

/** Of a log in which nothing is sealed yet. */
export const NO_HEAD: Head = { count: '0', mac: '' };
