import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { lockUnusedRow, type Use } from '../../kernel/entity/in-use.ts';

const rule = (column: string): Use => ({
  table: 'svc_rule',
  column,
  what: 'rule',
  name: sql`rule_name`,
});
const policy = (column: string): Use => ({
  table: 'svc_notify',
  column,
  what: 'policy',
  name: sql`notify_name`,
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
const uses = {
  svc_notify: [rule('notify_id'), bind('notify_id', 'a channel')],
  svc_notify_channel: [bind('channel_id', 'a policy that uses it')],
  svc_message_template: [rule('message_id'), policy('message_id')],
};
type Held = keyof typeof uses;

/** Locks a row before its deletion; throws NotFound, and Conflict with the reason while it is in use. */
export const lockUnused = <T extends Held>(q: Queries, table: T, tenantId: string, id: string) =>
  lockUnusedRow(q, table, tenantId, id, uses[table]);
