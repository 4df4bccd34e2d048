import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, MaybeTime, stored } from '../../kernel/entity/answer.ts';
import { byIdIn } from '../../kernel/entity/by-id.ts';
import { addRow, deleteRow } from '../../kernel/entity/change.ts';
import { hold, lockedRow } from '../../kernel/entity/row.ts';
import { BadRequest, Conflict, Unprocessable } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, exact, input } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import type { Pair } from '../value/pair.ts';
import type { Span } from './erase.ts';

const MAX_HOLDS = 200;

/** What has to be kept until the hold is lifted, whatever a person or a class of retention says. */
export const RetentionHold = stored('RetentionHold', {
  holdName: z.string().meta({ examples: ['Incident of 3 March'] }),
  deviceId: AnswerId.describe('0: of all devices'),
  fromTime: MaybeTime.describe('null: from the first on'),
  toTime: MaybeTime.describe('null: without an end'),
  reason: z.string(),
});
type RetentionHold = z.output<typeof RetentionHold.schema>;

export const AddHold = exact(
  {
    holdName: Name,
    deviceId: Id.describe('Of all devices without one').optional(),
    fromTime: Moment.describe('From the first on without one').optional(),
    toTime: Moment.describe('Without an end without one').optional(),
    reason: Text(200)
      .min(1)
      .meta({ examples: ['The insurer asked for it'] }),
    remark: Text(512).optional(),
  },
  Object.keys(RetentionHold.schema.shape),
);
type AddHold = z.output<typeof AddHold>;

export const HoldQuery = input({ page: Page });

/** Waits for what is being deleted; nothing that it covers is deleted afterwards. Throws NotFound for another tenant's device. */
export const add: Operation<AddHold, string> = (app, caller, { fromTime, toTime, ...given }) =>
  inTenant(app.db, caller.tenantId, async (q) => {
    const { tenantId } = caller;
    if (fromTime !== undefined && toTime !== undefined && fromTime > toTime)
      throw new BadRequest('fromTime has to be before toTime');
    if (given.deviceId) await hold(q, 'svc_device', tenantId, given.deviceId);
    await holdsExclusively(q, tenantId);
    const { count } = await q
      .selectFrom('svc_retention_hold')
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .where('tenantId', '=', tenantId)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_HOLDS)
      throw new Unprocessable(`A tenant has at most ${MAX_HOLDS} holds`);
    return addRow(q, app, caller, 'svc_retention_hold', {
      ...given,
      fromTime: fromTime === undefined ? null : new Date(fromTime),
      toTime: toTime === undefined ? null : new Date(toTime),
    });
  });

/** Lifts a hold: what it kept may be deleted again. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockedRow(q, 'svc_retention_hold', tenantId, id);
    await deleteRow(q, 'svc_retention_hold', tenantId, id);
    // Where there are classes, the values are looked through at once.
    await sql`update svc_retention_run set due_time = least(due_time, ${new Date(app.clock.now())})
      where tenant_id = ${tenantId}`.execute(q);
  });

export const byId: Operation<ById, RetentionHold> = byIdIn('svc_retention_hold', RetentionHold.of);

export const page: Operation<z.output<typeof HoldQuery>, Paged<RetentionHold>> = (
  app,
  { tenantId },
  given,
) =>
  inOneTrip(app.db, tenantId, (q) =>
    pageOf(
      q
        .selectFrom('svc_retention_hold')
        .selectAll()
        .where('tenantId', '=', tenantId)
        .orderBy('id', 'desc'),
      given.page,
      RetentionHold.of,
    ),
  );

const keyOf = (tenantId: string) => sql`hashtextextended(${`holds ${tenantId}`}::text, 0)`;

const holdsExclusively = (q: Queries, tenantId: string) =>
  sql`select pg_advisory_xact_lock(${keyOf(tenantId)})`.execute(q);

/** Until the end of the transaction no hold of the tenant is added: what it deletes, none covers. */
export const shareHolds = (q: Queries, tenantId: string) =>
  sql`select pg_advisory_xact_lock_shared(${keyOf(tenantId)})`.execute(q);

type Sql = RawBuilder<unknown>;

/** Whether a hold covers a part of a span of a device. */
export const isHeld = (tenantId: string, of: { device: Sql; from: Sql; to: Sql }) => sql`
  exists (select from svc_retention_hold k where k.tenant_id = ${tenantId}
    and k.device_id in (0, ${of.device}) and coalesce(k.from_time, '-infinity') <= ${of.to}
    and coalesce(k.to_time, 'infinity') >= ${of.from})`;

/** The name of a hold that covers a part of a span; null for none. */
export async function holdOf(
  q: Queries,
  tenantId: string,
  { deviceId }: Pair,
  { from, to }: Span,
): Promise<string | null> {
  const { rows } = await sql<{ holdName: string }>`
    select hold_name from svc_retention_hold where tenant_id = ${tenantId} and device_id in (0, ${deviceId})
      and coalesce(from_time, '-infinity') <= ${new Date(to)} and coalesce(to_time, 'infinity') >= ${new Date(from)}
    order by id limit 1`.execute(q);
  return rows[0]?.holdName ?? null;
}

/** Throws Conflict where a hold covers a part of a span. */
export async function demandFree(
  q: Queries,
  tenantId: string,
  pair: Pair,
  span: Span,
): Promise<void> {
  const name = await holdOf(q, tenantId, pair, span);
  if (name !== null) throw new Conflict(`The hold ${quoted(name)} keeps values of this time`);
}
