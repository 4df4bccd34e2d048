import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { FACT_COLUMNS, type FactColumns } from '../command/record.ts';
import { CommandType } from '../command/state.ts';

export const KINDS = ['configuration', 'decision', 'write'] as const;

/** One row of the union of configuration changes, decisions and writes; a write comes with its command. */
export type ChangeRow = Change &
  ({ kind: 'configuration' | 'decision' } | (FactColumns & { kind: 'write' }));

type Change = {
  at: Date;
  /** `at` to the microsecond, as text, for the cursor. */
  mark: string;
  id: string;
  actorId: string;
  actorName: string;
  via: string;
  operation: string;
  entityType: string;
  entityId: string;
  entityName: string;
  deviceId: string;
  /** Present names of device and point; null for a deleted one. */
  deviceName: string | null;
  pointId: string;
  pointName: string | null;
  /** Of a write: the unit of its value. */
  unit: string | null;
  changes: Record<string, unknown>;
  actionId: string | null;
  commandId: string | null;
};

export type Wanted = {
  since: Date | null;
  before: { at: string; kind: string; id: string } | null;
  deviceId: string | undefined;
  limit: number;
};

const factColumns = sql.join(FACT_COLUMNS.map((name) => sql.ref(`w.${name}`)));

/**
 * Configuration changes (of a device: its points' too), decisions on proposals, and writes, newest first;
 * (at, kind, id) is a total order, so a page may end between two rows of the same millisecond without losing
 * one. Each part is limited before the union.
 */
export async function changeRows(
  q: Queries,
  tenantId: string,
  { since, before, deviceId = '0', limit }: Wanted,
): Promise<ChangeRow[]> {
  const at = before?.at ?? null;
  const within = (time: string, kind: string, id: string) => sql`
    (${since}::timestamptz is null or ${sql.ref(time)} >= ${since})
    and (${at}::timestamptz is null or (${sql.ref(time)}, ${kind}::text, ${sql.ref(id)}) <
      (${at}::timestamptz, ${before?.kind ?? ''}::text, ${before?.id ?? '0'}::bigint))
    order by ${sql.ref(time)} desc, ${sql.ref(id)} desc limit ${limit}`;
  const { rows } = await sql<ChangeRow>`
    select change.*, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as mark,
      d.device_name, p.point_name, coalesce(w.point_unit, p.unit) as unit, ${factColumns}
    from (
      select * from (
      (select c.create_time as at, 'configuration' as kind, c.id, c.actor_id, c.actor_name, c.actor_via as via,
        c.operation, c.entity_type, c.entity_id::text as entity_id, c.entity_name, c.device_id, c.point_id, c.changes,
        null::text as action_id, null::uuid as command_id
      from svc_change_log c
      where c.tenant_id = ${tenantId} and (${deviceId} = '0' or c.device_id = ${deviceId}::bigint
          or c.device_id = 0 and c.point_id in (select p.id from svc_point p join svc_device d
            on d.tenant_id = p.tenant_id and d.profile_id = p.profile_id
            where d.tenant_id = ${tenantId} and d.id = ${deviceId}::bigint))
        and ${within('c.create_time', 'configuration', 'c.id')})
      union all
      (select l.create_time, 'decision', l.id, l.principal_id,
        case l.principal_id when a.user_id then a.user_name when a.decided_by then a.decided_name else '' end,
        coalesce(l.detail_ext ->> 'via', 'system'), l.action, 'action', l.resource_id, l.resource_name,
        a.device_id, a.point_id, '{}'::jsonb, l.resource_id, null::uuid
      from svc_identity_audit_log l
      join svc_action a on a.tenant_id = l.tenant_id
        and a.action_id = case l.resource_type when 'ACTION' then l.resource_id::uuid end
      where l.tenant_id = ${tenantId} and l.resource_type = 'ACTION'
        and (${deviceId} = '0' or a.device_id = ${deviceId}::bigint)
        and ${within('l.create_time', 'decision', 'l.id')})
      union all
      (select w.occur_time, 'write', w.id, w.source_user_id, coalesce(u.user_name, s.service_account_name, ''),
        case when w.action_id is null then 'login' else 'action' end, 'WRITE', 'point', w.point_id::text, '',
        w.device_id, w.point_id, '{}'::jsonb, w.action_id::text, w.command_id
      from svc_point_command_history w
      left join svc_user u on u.principal_id = w.source_user_id
      left join svc_service_account s on s.tenant_id = w.tenant_id and s.principal_id = w.source_user_id
      where w.tenant_id = ${tenantId} and w.type = ${CommandType.WRITE}
        and (${deviceId} = '0' or w.device_id = ${deviceId}::bigint)
        and ${within('w.occur_time', 'write', 'w.id')})
      ) changes order by at desc, kind desc, id desc limit ${limit}
    ) change
    left join svc_device d on d.tenant_id = ${tenantId} and d.id = change.device_id
    left join svc_point p on p.tenant_id = ${tenantId} and p.id = change.point_id
    left join svc_point_command_history w on w.tenant_id = ${tenantId} and w.command_id = change.command_id
    order by at desc, kind desc, id desc`.execute(q);
  return rows;
}
