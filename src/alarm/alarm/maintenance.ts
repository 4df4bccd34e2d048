import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerId, IsoTime, named, stored, Time } from '../../kernel/entity/answer.ts';
import { byIdIn } from '../../kernel/entity/by-id.ts';
import { addRow, changeRow, deleteRow } from '../../kernel/entity/change.ts';
import { nouns } from '../../kernel/entity/noun.ts';
import { hold, lockedRow } from '../../kernel/entity/row.ts';
import { BadRequest, Conflict, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { flag, nameOf } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, exact, input } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { wakeHeld } from '../notify/wake.ts';
import { covers, MaintenanceMode, MaintenanceScope } from './in-maintenance.ts';

const MAX_MS = 90 * 86_400_000;
const MAX_IDS = 100;
/** Running or planned ones of a tenant. */
const MAX_OPEN = 200;

/** A time in which places are worked on. */
export const Maintenance = stored('Maintenance', {
  maintenanceName: z.string().meta({ examples: ['Belt change in hall 3'] }),
  scopeFlag: named(MaintenanceScope),
  entityIds: z.array(z.string()).describe('Ids of the kind that the scope names; none for PLANT'),
  modeFlag: named(MaintenanceMode),
  owner: z.string().describe('Who answers for it'),
  reason: z.string(),
  beginTime: Time,
  endTime: Time,
});
type Maintenance = z.output<typeof Maintenance.schema>;
const answered = Object.keys(Maintenance.schema.shape);

const fields = {
  owner: Text(64).optional(),
  reason: Text(200).optional(),
  modeFlag: flag(MaintenanceMode).optional(),
  remark: Text(512).optional(),
};

export const AddMaintenance = exact(
  {
    ...fields,
    maintenanceName: Name,
    scopeFlag: flag(MaintenanceScope),
    entityIds: z.array(Id).max(MAX_IDS).default([]),
    beginTime: Moment.describe('Now without one').optional(),
    endTime: Moment.describe('At most 90 days after the begin'),
  },
  answered,
);
export type AddMaintenance = z.output<typeof AddMaintenance>;

/** What it covers and when it begins stay. */
export const UpdateMaintenance = exact(
  { ...fields, id: Id, maintenanceName: Name.optional(), endTime: Moment.optional() },
  answered,
);
type UpdateMaintenance = z.output<typeof UpdateMaintenance>;

export const MaintenanceQuery = input({
  page: Page,
  when: z.enum(['RUNNING', 'PLANNED', 'PAST']).optional(),
});
type MaintenanceQuery = z.output<typeof MaintenanceQuery>;

const tables = {
  DRIVER: 'svc_driver',
  GROUP: 'svc_group',
  LABEL: 'svc_label',
  DEVICE: 'svc_device',
} as const;
const NAMES = {
  svc_driver: 'driver_name',
  svc_group: 'group_name',
  svc_label: 'label_name',
  svc_device: 'device_name',
} as const;

/** Of a time that is over, or longer than 90 days. */
export function demandSpan(begin: number, end: number, now: number): void {
  if (end <= Math.max(begin, now))
    throw new BadRequest('endTime has to be in the future and after beginTime');
  if (end - begin > MAX_MS) throw new BadRequest('a maintenance lasts 90 days at most');
}

/** One at a time of a tenant takes the room that is left. */
async function demandRoom(q: Queries, tenantId: string, now: number): Promise<void> {
  const key = `maintenances ${tenantId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(q);
  const open = await q
    .selectFrom('svc_maintenance')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('endTime', '>', new Date(now))
    .limit(MAX_OPEN)
    .execute();
  if (open.length >= MAX_OPEN)
    throw new Unprocessable(`A tenant has at most ${MAX_OPEN} running or planned maintenances`);
}

/** Throws NotFound for an id of another tenant. */
export const add: Operation<AddMaintenance, string> = (app, caller, given) =>
  inTenant(app.db, caller.tenantId, (q) => addIn(app, q, caller, given));

/** Adds a maintenance in a transaction of more. Throws as `add`. */
export async function addIn(
  app: App,
  q: Queries,
  caller: Caller,
  given: AddMaintenance,
): Promise<string> {
  const now = app.clock.now();
  const { scopeFlag, entityIds, beginTime = now, endTime, owner = caller.name } = given;
  demandSpan(beginTime, endTime, now);
  const scope = nameOf(MaintenanceScope, scopeFlag);
  if ((scope === 'PLANT') !== (entityIds.length === 0))
    throw new BadRequest('entityIds name what the scope is for, and nothing of the whole PLANT');
  if (scope !== 'PLANT')
    for (const id of entityIds) await hold(q, tables[scope], caller.tenantId, id);
  await demandRoom(q, caller.tenantId, now);
  return addRow(q, app, caller, 'svc_maintenance', {
    ...given,
    owner,
    entityIds: JSON.stringify(entityIds),
    beginTime: new Date(beginTime),
    endTime: new Date(endTime),
  });
}

type Covering = { scopeFlag: number; entityIds: readonly string[] };
/** `places`: names of what it is for, none of the whole plant. */
type Covered = { places: string[]; devices: number; firing: number };

/** What a maintenance would cover now. Throws NotFound for an id of another tenant. */
export async function coveredBy(
  q: Queries,
  tenantId: string,
  { scopeFlag, entityIds }: Covering,
): Promise<Covered> {
  const scope = nameOf(MaintenanceScope, scopeFlag);
  const device = { device: sql`d.id`, driver: sql`d.driver_id` };
  const place = { device: sql`a.device_id`, driver: sql`a.driver_id` };
  const [places, { rows }] = await Promise.all([
    scope === 'PLANT' ? [] : namesIn(q, tenantId, tables[scope], entityIds),
    sql<Omit<Covered, 'places'>>`
      with m as (select ${tenantId}::bigint as tenant_id, ${scopeFlag}::integer as scope_flag,
        ${JSON.stringify(entityIds)}::jsonb as entity_ids)
      select (select count(*)::integer from svc_device d
          where d.tenant_id = m.tenant_id and ${covers(device)}) as devices,
        (select count(*)::integer from svc_entity_alarm a
          where a.tenant_id = m.tenant_id and a.state_flag = 1 and ${covers(place)}) as firing
      from m`.execute(q),
  ]);
  return { places, devices: 0, firing: 0, ...rows[0] };
}

async function namesIn(
  q: Queries,
  tenantId: string,
  table: keyof typeof NAMES,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select ${sql.ref(NAMES[table])} as name from ${sql.table(table)}
    where tenant_id = ${tenantId} and id = any(${[...ids]}::bigint[]) order by 1, id`.execute(q);
  if (rows.length < new Set(ids).size) throw new NotFound(nouns[table]);
  return rows.map(({ name }) => name);
}

/** Extends it or ends it sooner, and looks again at what it holds back; one that is over stays as it was (409). */
export const update: Operation<UpdateMaintenance, void> = (app, caller, { endTime, ...given }) =>
  inTenant(app.db, caller.tenantId, async (q) => {
    const { tenantId } = caller;
    const now = app.clock.now();
    const before = await lockedRow(q, 'svc_maintenance', tenantId, given.id);
    demandOpen(before.endTime, now);
    if (endTime !== undefined) demandSpan(before.beginTime.getTime(), endTime, now);
    const change = { ...given, endTime: endTime === undefined ? undefined : new Date(endTime) };
    await changeRow(q, app, caller, 'svc_maintenance', change);
    await wakeHeld(q, tenantId, now);
  });

/** Ends it now: what is still true is notified. */
export const end: Operation<ById, true> = (app, caller, { id }) =>
  inTenant(app.db, caller.tenantId, async (q): Promise<true> => {
    const { tenantId } = caller;
    const now = app.clock.now();
    const before = await lockedRow(q, 'svc_maintenance', tenantId, id);
    demandOpen(before.endTime, now);
    if (before.beginTime.getTime() > now)
      throw new Conflict('It has not begun yet: delete it instead');
    await changeRow(q, app, caller, 'svc_maintenance', { id, endTime: new Date(now) });
    await wakeHeld(q, tenantId, now);
    return true;
  });

function demandOpen(endTime: Date, now: number): void {
  if (endTime.getTime() <= now) throw new Conflict('It is over');
}

/** Only of one that has not begun: the others say why people were not notified. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    const before = await lockedRow(q, 'svc_maintenance', tenantId, id);
    if (before.beginTime.getTime() <= app.clock.now())
      throw new Conflict('It has begun: end it instead');
    await deleteRow(q, 'svc_maintenance', tenantId, id);
  });

export const byId: Operation<ById, Maintenance> = byIdIn('svc_maintenance', Maintenance.of);

/** Those that end last come first. */
export const page: Operation<MaintenanceQuery, Paged<Maintenance>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const at = new Date(app.clock.now());
    let query = q.selectFrom('svc_maintenance').selectAll().where('tenantId', '=', tenantId);
    if (given.when === 'PAST') query = query.where('endTime', '<=', at);
    else if (given.when !== undefined) query = query.where('endTime', '>', at);
    if (given.when === 'PLANNED') query = query.where('beginTime', '>', at);
    if (given.when === 'RUNNING') query = query.where('beginTime', '<=', at);
    return pageOf(
      query.orderBy('endTime', 'desc').orderBy('id', 'desc'),
      given.page,
      Maintenance.of,
    );
  });

/** A maintenance that runs. */
export const RunningMaintenance = z
  .object({
    id: AnswerId,
    name: z.string(),
    mode: z.enum(['MUTE', 'MARK']),
    of: z.array(z.string()).describe('Names of what it is for, ten at most; none: the whole plant'),
    until: IsoTime,
    owner: z.string(),
    reason: z.string(),
  })
  .meta({ id: 'RunningMaintenance' });
export type RunningMaintenance = z.output<typeof RunningMaintenance>;

const MAX_RUNNING = 10;

/** What is in maintenance at `now` (ms), what ends first at the begin; at most 10. */
export async function runningIn(
  q: Queries,
  tenantId: string,
  now: number,
): Promise<RunningMaintenance[]> {
  const names = (table: string, column: string) => sql`
    select ${sql.ref(`e.${column}`)} as name from ${sql.table(table)} e
    where e.tenant_id = m.tenant_id and e.id in (select jsonb_array_elements_text(m.entity_ids)::bigint)`;
  const at = new Date(now);
  const { rows } = await sql<
    Omit<RunningMaintenance, 'until' | 'mode'> & { until: Date; modeFlag: number }
  >`
    select m.id, m.maintenance_name as name, m.mode_flag as "modeFlag", m.end_time as until, m.owner, m.reason,
      coalesce((select jsonb_agg(named.name) from (
        select name from (
          ${names('svc_driver', 'driver_name')} and m.scope_flag = ${sql.lit(MaintenanceScope.DRIVER)}
          union all ${names('svc_group', 'group_name')} and m.scope_flag = ${sql.lit(MaintenanceScope.GROUP)}
          union all ${names('svc_label', 'label_name')} and m.scope_flag = ${sql.lit(MaintenanceScope.LABEL)}
          union all ${names('svc_device', 'device_name')} and m.scope_flag = ${sql.lit(MaintenanceScope.DEVICE)}
        ) each order by name limit 10) named), '[]') as "of"
    from svc_maintenance m
    where m.tenant_id = ${tenantId} and m.end_time > ${at} and m.begin_time <= ${at}
    order by m.end_time, m.id limit ${MAX_RUNNING}`.execute(q);
  return rows.map(({ modeFlag, until, ...row }) => ({
    ...row,
    mode: nameOf(MaintenanceMode, modeFlag),
    until: until.toISOString(),
  }));
}
