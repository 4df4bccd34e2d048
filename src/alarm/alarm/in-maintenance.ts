import { type RawBuilder, sql, type SqlBool } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';

/** What a maintenance covers: the whole plant, or entities by their ids; an area is a label. */
export const MaintenanceScope = { PLANT: 0, DRIVER: 1, GROUP: 2, LABEL: 3, DEVICE: 4 } as const;
/** MUTE: channels get nothing of it until its end; MARK: messages say that it is in maintenance. */
export const MaintenanceMode = { MUTE: 0, MARK: 1 } as const;

/** The maintenance that an alarm is or was in; times are ISO-8601. */
export type InMaintenance = {
  id: string;
  name: string;
  mode: keyof typeof MaintenanceMode;
  until: string;
  owner: string;
  reason: string;
};

type Place = { device: RawBuilder<unknown>; driver: RawBuilder<unknown> };

/** Whether the maintenance `m` covers a place. */
export const covers = ({ device, driver }: Place): RawBuilder<SqlBool> => {
  const of = (kind: keyof typeof MaintenanceScope) =>
    sql`m.scope_flag = ${sql.lit(MaintenanceScope[kind])}`;
  const bound = (table: string, column: string) => sql`exists (
    select from ${sql.table(table)} b where b.tenant_id = m.tenant_id and b.entity_id = ${device}
      and b.entity_type_flag = ${sql.lit(EntityType.DEVICE)} and m.entity_ids ? b.${sql.ref(column)}::text)`;
  return sql`(${of('PLANT')} or ${of('DRIVER')} and m.entity_ids ? ${driver}::text
    or ${of('DEVICE')} and m.entity_ids ? ${device}::text
    or ${of('GROUP')} and ${bound('svc_group_bind', 'group_id')}
    or ${of('LABEL')} and ${bound('svc_label_bind', 'label_id')})`;
};

/** The maintenance of the alarm `row` that ran when it was raised or since, at the latest at `now` (ms), as JSON. */
export const maintenanceOf = (
  tenantId: string,
  row: string,
  now: number,
): RawBuilder<InMaintenance | null> => {
  const of = (column: string) => sql.ref(`${row}.${column}`);
  return sql`
  (select json_build_object('id', m.id::text, 'name', m.maintenance_name,
      'mode', case m.mode_flag when ${sql.lit(MaintenanceMode.MARK)} then 'MARK' else 'MUTE' end,
      'until', to_char(m.end_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'owner', m.owner, 'reason', m.reason)
    from svc_maintenance m where m.tenant_id = ${tenantId} and m.end_time > ${of('create_time')}
      and m.begin_time <= case when ${of('state_flag')} = 1 then ${new Date(now)}
        else coalesce(${of('last_recover_time')}, ${of('create_time')}) end
      and ${covers({ device: of('device_id'), driver: of('driver_id') })}
    order by m.end_time desc limit 1)`;
};

/** How long notifications of an alarm are held back, by a person at its place and by a maintenance; ms, null: not. */
export type Held = {
  silencedUntil: number | null;
  mutedUntil: number | null;
  /** The name of a maintenance that messages mention; empty without one. */
  marked: string;
};

/** Of alarms, by their ids. */
export async function heldOf(
  q: Queries,
  { tenantId, alarmIds }: { tenantId: string; alarmIds: readonly string[] },
  now: number,
): Promise<Map<string, Held>> {
  const at = new Date(now);
  const place = { device: sql`a.device_id`, driver: sql`a.driver_id` };
  const running = sql`svc_maintenance m where m.tenant_id = ${tenantId} and m.end_time > ${at}
    and m.begin_time <= ${at} and ${covers(place)}`;
  type Row = { id: string; silenced: Date | null; muted: Date | null; marked: string | null };
  const { rows } = await sql<Row>`
    select a.id,
      (select silenced_until from svc_rule_state where tenant_id = ${tenantId} and id = a.rule_state_id) as silenced,
      (select max(m.end_time) from ${running} and m.mode_flag = ${MaintenanceMode.MUTE}) as muted,
      (select m.maintenance_name from ${running} order by m.end_time desc limit 1) as marked
    from svc_entity_alarm a where a.tenant_id = ${tenantId} and a.id = any(${alarmIds}::bigint[])`.execute(
    q,
  );
  return new Map(
    rows.map(({ id, silenced, muted, marked }) => [
      id,
      {
        silencedUntil: silenced?.getTime() ?? null,
        mutedUntil: muted?.getTime() ?? null,
        marked: marked ?? '',
      },
    ]),
  );
}

/** Of an alarm that nothing holds back. */
export const FREE: Held = { silencedUntil: null, mutedUntil: null, marked: '' };
