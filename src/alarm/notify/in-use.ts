import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { holdRow, lockUnusedRow, type Use } from '../../db/in-use.ts';

const nouns = {
  svc_notify: 'Notify',
  svc_notify_channel: 'Channel',
  svc_message_template: 'Message',
} as const;
type Held = keyof typeof nouns;

const rule = (column: string): Use => ({
  table: 'svc_rule',
  column,
  what: 'rule',
  name: sql`rule_name`,
});
const bind = (column: string, what: string): Use => ({
  table: 'svc_notify_channel_bind',
  column,
  what,
});

/**
 * Rows that prevent deletion: the references are logical, without foreign keys (docs/specification/alarms.md,
 * Alarm rules 1).
 */
const uses: Record<Held, readonly Use[]> = {
  svc_notify: [rule('notify_id'), bind('notify_id', 'a channel')],
  svc_notify_channel: [bind('channel_id', 'a policy that uses it')],
  svc_message_template: [rule('message_id')],
};

/** Locks a row against deletion until the end of the transaction; throws NotFound. */
export const hold = (q: Queries, table: Held, tenantId: string, id: string): Promise<void> =>
  holdRow(q, { table, noun: nouns[table], tenantId, id });

/** Locks a row before its deletion; throws NotFound, and Conflict with the reason while it is in use. */
export const lockUnused = (q: Queries, table: Held, tenantId: string, id: string): Promise<void> =>
  lockUnusedRow(q, { table, noun: nouns[table], tenantId, id }, uses[table]);
