import { type RawBuilder, type Selectable, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import { lockUnusedRow } from '../../kernel/entity/in-use.ts';

type Link = { table: Holder; column: string; what: string; name?: string };
type Holder =
  | 'svc_device'
  | 'svc_point'
  | 'svc_command'
  | 'svc_event'
  | 'svc_command_param'
  | 'svc_event_param'
  | 'svc_driver_attribute_config'
  | 'svc_point_attribute_config'
  | 'svc_command_attribute_config'
  | 'svc_event_attribute_config'
  | 'svc_group'
  | 'svc_group_bind'
  | 'svc_label_bind'
  | 'svc_manual';

const config = (table: Holder, column: string): Link => ({
  table,
  column,
  what: 'a config of device',
  name: 'device_name',
});

/**
 * Rows that keep an entity from being deleted. The links are logical, the database has no foreign keys
 * (docs/specification/alarms.md, Alarm rules 1), so this table protects them.
 */
export const uses = {
  svc_driver: [{ table: 'svc_device', column: 'driver_id', what: 'device', name: 'device_name' }],
  svc_profile: [
    { table: 'svc_device', column: 'profile_id', what: 'device', name: 'device_name' },
    { table: 'svc_point', column: 'profile_id', what: 'point', name: 'point_name' },
    { table: 'svc_command', column: 'profile_id', what: 'command', name: 'command_name' },
    { table: 'svc_event', column: 'profile_id', what: 'event', name: 'event_name' },
    { table: 'svc_manual', column: 'profile_id', what: 'manual', name: 'manual_name' },
  ],
  svc_point: [config('svc_point_attribute_config', 'point_id')],
  svc_command: [
    { table: 'svc_command_param', column: 'command_id', what: 'parameter', name: 'param_name' },
    config('svc_command_attribute_config', 'command_id'),
  ],
  svc_event: [
    { table: 'svc_event_param', column: 'event_id', what: 'parameter', name: 'param_name' },
    config('svc_event_attribute_config', 'event_id'),
  ],
  svc_driver_attribute: [config('svc_driver_attribute_config', 'attribute_id')],
  svc_point_attribute: [config('svc_point_attribute_config', 'attribute_id')],
  svc_command_attribute: [config('svc_command_attribute_config', 'attribute_id')],
  svc_event_attribute: [config('svc_event_attribute_config', 'attribute_id')],
  svc_group: [
    { table: 'svc_group', column: 'parent_group_id', what: 'group', name: 'group_name' },
    { table: 'svc_group_bind', column: 'group_id', what: 'a member' },
  ],
  svc_label: [{ table: 'svc_label_bind', column: 'label_id', what: 'a labelled entity' }],
} as const satisfies Record<string, readonly Link[]>;

/**
 * Locks an entity that is about to be deleted and answers it. Throws NotFound, and Conflict with the reason while a row of
 * the table above refers to it.
 */
export function lockUnused<T extends keyof typeof uses>(
  q: Queries,
  table: T,
  tenantId: string,
  id: string,
): Promise<Selectable<Schema[T]>> {
  const links: readonly Link[] = uses[table];
  const named = links.map(({ name, ...link }) => ({
    ...link,
    ...(name ? { name: nameOf(link.table, name) } : {}),
  }));
  return lockUnusedRow(q, table, tenantId, id, named);
}

/** Name of the holder, or of the device that a config belongs to. */
function nameOf(holder: Holder, name: string): RawBuilder<string> {
  if (!holder.endsWith('_config')) return sql`${sql.ref(name)}`;
  const holding = sql.table(holder);
  return sql`(select ${sql.ref(`d.${name}`)} from svc_device d
    where d.tenant_id = ${holding}.tenant_id and d.id = ${holding}.device_id)`;
}
