import { type RawBuilder, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { contains } from '../../db/query-page.ts';
import { FACT_COLUMNS, type FactColumns } from '../command/record.ts';
import { CommandType } from '../command/state.ts';

export const KINDS = ['configuration', 'decision', 'write'] as const;

/** Kinds of rows, in the order of rows of the same time; `right` for accounts, roles and rights. */
export const ROW_KINDS = [...KINDS, 'right'] as const;

/** What a reader can ask for: configuration and rights, proposals, decisions on them, writes. */
export const CHANGE_KINDS = ['configured', 'proposed', 'decided', 'written'] as const;
type ChangeKind = (typeof CHANGE_KINDS)[number];

/** One row of the union of configuration changes, decisions and writes; a write comes with its command. */
export type ChangeRow = Change &
  ({ kind: 'configuration' | 'decision' | 'right' } | (FactColumns & { kind: 'write' }));

type Change = {
  at: Date;
  /** `at` to the microsecond, as text, for the cursor. */
  mark: string;
  id: string;
  actorId: string;
  actorName: string;
  via: string;
  /** Network address that it came from; empty where that is not kept. */
  source: string;
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
  /** Of a proposal and its decision: the value at the proposal, the proposed one, and the comment of the decision. */
  fromValue: string | null;
  toValue: string | null;
  comment: string | null;
  /** Whether its card says that the proposer had read free texts of devices or users. */
  tainted: boolean | null;
  /** Who proposed it, for a decision or a confirmed write. */
  proposerName: string | null;
  actionId: string | null;
  commandId: string | null;
};

/** A value, or an expression for one that only the database has. */
type Known<T> = T | RawBuilder<T>;

export type Wanted = {
  /** `since` included, `until` excluded. */
  since: Known<Date> | null;
  until?: Known<Date> | undefined;
  before: { at: string; kind: string; id: string } | null;
  deviceId?: Known<string> | undefined;
  pointId?: string | undefined;
  /** As the rows have them; the id of one type alone says which thing. */
  entityType?: string | undefined;
  entityId?: string | undefined;
  /** With those of the device, the changes of a rule and a driver. */
  besides?: { ruleId: Known<string>; driverId: Known<string> } | undefined;
  /** The query leaves out changes of this entity type, e.g. `label_bind`. */
  without?: string | undefined;
  kind?: ChangeKind | undefined;
  /** Part of the name of the actor or proposer. */
  by?: string | undefined;
  via?: string | undefined;
  /** Part of the name of what was changed, its device or its point. */
  text?: string | undefined;
  /** Also the changes of accounts, roles and rights. */
  hasRights?: boolean;
  limit: number;
};

/** Rows of the identity audit that change what someone may do. */
const RIGHTS = [
  'PRINCIPAL',
  'SERVICE_ACCOUNT',
  'LOCAL_CREDENTIAL',
  'KEY',
  'OAUTH_CLIENT',
  'OAUTH_GRANT',
  'ROLE',
  'ROLE_PRINCIPAL_BIND',
  'ROLE_RESOURCE_BIND',
];
const NO_CHANGE = ['LOGIN', 'LOGOUT'];

const factColumns = sql.join(FACT_COLUMNS.map((name) => sql.ref(`w.${name}`)));

/**
 * Configuration changes (of a device: its points' too), decisions on proposals, and writes, newest first;
 * (at, kind, id) is a total order, so a page may end between two rows of the same millisecond without losing
 * one. Each part is limited before the union.
 */
export async function changeRows(
  q: Queries,
  tenantId: string,
  wanted: Wanted,
): Promise<ChangeRow[]> {
  const { limit } = wanted;
  const { rows } = await sql<ChangeRow>`
    select change.*, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as mark,
      d.device_name, p.point_name, coalesce(w.point_unit, change.unit, p.unit) as unit, ${factColumns}
    from (
      select * from (${unionOf(tenantId, wanted)}) changes
      order by at desc, kind desc, id desc limit ${limit}
    ) change
    left join svc_device d on d.tenant_id = ${tenantId} and d.id = change.device_id
    left join svc_point p on p.tenant_id = ${tenantId} and p.id = change.point_id
    left join svc_point_command_history w on w.tenant_id = ${tenantId} and w.command_id = change.command_id
    order by at desc, kind desc, id desc`.execute(q);
  return rows;
}

/** The parts of the kind that is wanted, each to its limit. */
function unionOf(tenantId: string, wanted: Wanted): RawBuilder<unknown> {
  const { kind } = wanted;
  const { configured, decided, written, granted } = partsOf(tenantId, wanted);
  const ofKind: Record<ChangeKind, RawBuilder<unknown>[]> = {
    configured: wanted.hasRights ? [configured, granted] : [configured],
    proposed: [decided],
    decided: [decided],
    written: [written],
  };
  const every = [...ofKind.configured, decided, written];
  // The first part names the columns of the union.
  const none = sql`(select * from ${configured} c limit 0)`;
  return sql.join(kind === undefined ? every : [none, ...ofKind[kind]], sql` union all `);
}

const MAX_COUNTED = 1_000;

/** How many rows `changeRows` finds in all, of each part to 1,000. */
export async function countRows(
  q: Queries,
  tenantId: string,
  wanted: Omit<Wanted, 'limit'>,
): Promise<number> {
  const found = unionOf(tenantId, { ...wanted, limit: MAX_COUNTED });
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::int as count from (${found}) changes`.execute(q);
  return rows[0]?.count ?? 0;
}

/**
 * How much was changed since a time, each to 1,000: writes, changes of the configuration, and proposals that wait no more
 * and that nothing was written for.
 */
export async function countChanges(q: Queries, tenantId: string, since: Date): Promise<number> {
  const most = sql.lit(MAX_COUNTED);
  const { rows } = await sql<{ count: number }>`
    select ((select count(*) from (select from svc_point_command_history w
        where w.tenant_id = ${tenantId} and w.occur_time >= ${since} and w.type = ${CommandType.WRITE} limit ${most}) w)
      + (select count(*) from (select from svc_change_log c
        where c.tenant_id = ${tenantId} and c.create_time >= ${since} limit ${most}) c)
      + (select count(*) from (select distinct l.resource_id from svc_identity_audit_log l
        where l.tenant_id = ${tenantId} and l.resource_type = 'ACTION' and l.create_time >= ${since}
          and l.action not in ('action:propose', 'action:evidence')
          and not exists (select from svc_point_command_history w
            where w.tenant_id = l.tenant_id and w.action_id = l.resource_id::uuid) limit ${most}) l))::int as count`.execute(
    q,
  );
  return rows[0]?.count ?? 0;
}

/** The conditions of a reader, in the terms of one part. */
function conditionsOf(tenantId: string, wanted: Wanted) {
  const { since, until = null, before, deviceId = '0', pointId = '0', limit } = wanted;
  const at = before?.at ?? null;
  const within = (time: string, of: (typeof ROW_KINDS)[number], id: string) => sql`
    (${since}::timestamptz is null or ${sql.ref(time)} >= ${since})
    and (${until}::timestamptz is null or ${sql.ref(time)} < ${until})
    and (${at}::timestamptz is null or (${sql.ref(time)}, ${of}::text, ${sql.ref(id)}) <
      (${at}::timestamptz, ${before?.kind ?? ''}::text, ${before?.id ?? '0'}::bigint))
    order by ${sql.ref(time)} desc, ${sql.ref(id)} desc limit ${limit}`;
  const by = (...names: RawBuilder<unknown>[]) =>
    wanted.by === undefined
      ? sql`true`
      : sql`concat_ws(' ', ${sql.join(names)}) ilike ${contains(wanted.by)}`;
  const via = (way: RawBuilder<unknown>) =>
    wanted.via === undefined ? sql`true` : sql`${way} = ${wanted.via}`;
  const isAtPoint = (column: string) =>
    sql`(${pointId} = '0' or ${sql.ref(column)} = ${pointId}::bigint)`;
  const isAtDevice = (column: string) =>
    sql`(${deviceId} = '0' or ${sql.ref(column)} = ${deviceId}::bigint)`;
  const isOf = (type: RawBuilder<unknown>, id: RawBuilder<unknown>) => sql`
    ${wanted.entityType === undefined ? sql`true` : sql`${type} = ${wanted.entityType}`}
    and ${wanted.entityId === undefined ? sql`true` : sql`${id} = ${wanted.entityId}`}`;
  /** Never a value: a part of one that is hidden would be found. */
  const about = (
    name: RawBuilder<unknown>,
    device: RawBuilder<unknown>,
    point: RawBuilder<unknown>,
  ) =>
    wanted.text === undefined
      ? sql`true`
      : sql`concat_ws(' ', ${name},
          (select n.device_name from svc_device n where n.tenant_id = ${tenantId} and n.id = ${device}),
          (select n.point_name from svc_point n where n.tenant_id = ${tenantId} and n.id = ${point})
        ) ilike ${contains(wanted.text)}`;
  return { within, by, via, about, isOf, isAtPoint, isAtDevice };
}

/** The parts of the union, which have the same columns. */
function partsOf(tenantId: string, wanted: Wanted) {
  const { deviceId = '0', pointId = '0', besides, kind, without } = wanted;
  const { within, by, via, about, isOf, isAtPoint, isAtDevice } = conditionsOf(tenantId, wanted);
  const isBesides = besides
    ? sql`(c.entity_type = 'rule' and c.entity_id = ${besides.ruleId}
        or c.entity_type = 'driver' and c.entity_id = ${besides.driverId})`
    : sql`false`;
  const configured = sql`
      (select c.create_time as at, 'configuration' as kind, c.id, c.actor_id, c.actor_name, c.actor_via as via, c.source,
        c.operation, c.entity_type, c.entity_id::text as entity_id, c.entity_name, c.device_id, c.point_id, c.changes,
        null::text as action_id, null::uuid as command_id, null::text as from_value, null::text as to_value,
        null::text as comment, null::text as proposer_name, null::text as unit, null::boolean as tainted
      from svc_change_log c
      where c.tenant_id = ${tenantId} and (${isAtDevice('c.device_id')} or ${isBesides}
          or c.device_id = 0 and c.point_id in (select p.id from svc_point p join svc_device d
            on d.tenant_id = p.tenant_id and d.profile_id = p.profile_id
            where d.tenant_id = ${tenantId} and d.id = ${deviceId}::bigint))
        and ${isAtPoint('c.point_id')} and ${by(sql`c.actor_name`)} and ${via(sql`c.actor_via`)}
        and ${isOf(sql`c.entity_type`, sql`c.entity_id`)}
        and ${without === undefined ? sql`true` : sql`c.entity_type <> ${without}`}
        and ${about(sql`c.entity_name`, sql`c.device_id`, sql`c.point_id`)}
        and ${within('c.create_time', 'configuration', 'c.id')})`;
  const actor = sql`case l.principal_id when a.user_id then a.user_name when a.decided_by then a.decided_name else '' end`;
  const wayOfEntry = sql`coalesce(l.detail_ext ->> 'via', 'system')`;
  // A proposal of several writes has no one place or value; its name says them all.
  const ofOne = (fact: RawBuilder<unknown>, none = sql`null`) =>
    sql`case a.action_type when 'writePointValue' then ${fact} else ${none} end`;
  const decided = sql`
      (select l.create_time, 'decision', l.id, l.principal_id, ${actor}, ${wayOfEntry}, l.source, l.action, 'action',
        l.resource_id, l.resource_name, ${ofOne(sql`a.device_id`, sql`0`)}, ${ofOne(sql`a.point_id`, sql`0`)}, '{}'::jsonb,
        l.resource_id, null::uuid, ${ofOne(sql`a.payload ->> 'currentValue'`)},
        ${ofOne(sql`a.payload ->> 'proposedValue'`)}, case when l.action <> 'action:propose' then a.comment end, a.user_name,
        ${ofOne(sql`a.payload ->> 'unit'`)}, a.payload -> 'tainted' <> '[]'
      from svc_identity_audit_log l
      join svc_action a on a.tenant_id = l.tenant_id
        and a.action_id = case l.resource_type when 'ACTION' then l.resource_id::uuid end
      where l.tenant_id = ${tenantId} and l.resource_type = 'ACTION'
        and (${kind ?? ''} not in ('proposed', 'decided')
          or (${kind ?? ''} = 'proposed') = (l.action = 'action:propose'))
        and (${isAtDevice('a.device_id')} and ${isAtPoint('a.point_id')} or exists (select from svc_action_step t
          where t.tenant_id = a.tenant_id and t.action_id = a.action_id
            and ${isAtDevice('t.device_id')} and ${isAtPoint('t.point_id')}))
        and ${by(actor, sql`a.user_name`)} and ${via(wayOfEntry)}
        and ${isOf(sql`'action'`, sql`l.resource_id`)}
        and ${about(sql`l.resource_name`, sql`a.device_id`, sql`a.point_id`)}
        and ${within('l.create_time', 'decision', 'l.id')})`;
  const writer = sql`coalesce(u.user_name, s.service_account_name, '')`;
  const wayOfWrite = sql`case when w.action_id is null then 'login' else 'action' end`;
  const written = sql`
      (select w.occur_time, 'write', w.id, w.source_user_id, ${writer}, ${wayOfWrite}, '', 'WRITE', 'point',
        w.point_id::text, '', w.device_id, w.point_id, '{}'::jsonb, w.action_id::text, w.command_id,
        null, null, null, a.user_name, null, a.payload -> 'tainted' <> '[]'
      from svc_point_command_history w
      left join svc_user u on u.principal_id = w.source_user_id
      left join svc_service_account s on s.tenant_id = w.tenant_id and s.principal_id = w.source_user_id
      left join svc_action a on a.tenant_id = w.tenant_id and a.action_id = w.action_id
      where w.tenant_id = ${tenantId} and w.type = ${CommandType.WRITE}
        and ${isAtDevice('w.device_id')} and ${isAtPoint('w.point_id')}
        and ${by(writer, sql`a.user_name`)} and ${via(wayOfWrite)}
        and ${isOf(sql`'point'`, sql`w.point_id`)}
        and ${about(sql`''`, sql`w.device_id`, sql`w.point_id`)}
        and ${within('w.occur_time', 'write', 'w.id')})`;
  const grantor = sql`coalesce(u.user_name, s.service_account_name, '')`;
  const granted = sql`
      (select l.create_time, 'right', l.id, l.principal_id, ${grantor}, 'login', l.source, l.action,
        lower(l.resource_type), l.resource_id, l.resource_name, 0, 0, '{}'::jsonb, null, null::uuid,
        null, null, null, null, null, null
      from svc_identity_audit_log l
      left join svc_user u on u.principal_id = l.principal_id
      left join svc_service_account s on s.tenant_id = l.tenant_id and s.principal_id = l.principal_id
      where l.tenant_id = ${tenantId} and l.resource_type = any(${RIGHTS}) and l.status = 'SUCCESS'
        and l.action <> all(${NO_CHANGE}) and ${deviceId} = '0' and ${pointId} = '0'
        and ${by(grantor)} and ${via(sql`'login'`)}
        and ${isOf(sql`lower(l.resource_type)`, sql`l.resource_id`)}
        and ${about(sql`l.resource_name`, sql`0`, sql`0`)}
        and ${within('l.create_time', 'right', 'l.id')})`;
  return { configured, decided, written, granted };
}
