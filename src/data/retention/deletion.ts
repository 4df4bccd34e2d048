import type { Insertable } from 'kysely';
import { z } from 'zod';

import { audit } from '../../auth/audit/audit.ts';
import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import type { ValueDeletionTable } from '../../db/schema/data.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerId, Int8, MaybeTime, named, stored, Time } from '../../kernel/entity/answer.ts';
import { addRow } from '../../kernel/entity/change.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { BadRequest, TooManyRequests } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { exact, input } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { pairOf } from '../value/pair.ts';
import { DeletionState, deleteSome } from './deletion-run.ts';
import { demandFree, shareHolds } from './hold.ts';

/** Running ones of a tenant. */
const MAX_RUNNING = 50;
/** How long a request deletes before it leaves the rest to the sweeper. */
const AT_ONCE_MS = 5_000;

/** What a person deletes of values: a span of a point of a device, or what an import stored. */
export const ValueDeletion = stored('ValueDeletion', {
  deviceId: AnswerId.describe('0: of an import, of all its points'),
  pointId: AnswerId.describe('0: of an import'),
  importId: AnswerId.nullable().describe('The import that is undone; null: a span of a point'),
  deletionName: z.string().describe('Device, point and span'),
  fromTime: Time.describe('Included'),
  toTime: Time.describe('Included'),
  reason: z.string(),
  stateFlag: named(DeletionState),
  valueCount: Int8.describe('Values that are deleted until now'),
  finishTime: MaybeTime,
});
export type ValueDeletion = z.output<typeof ValueDeletion.schema>;

export const Reason = Text(200)
  .min(1)
  .meta({ description: 'Why, for the change log', examples: ['The sensor was mounted wrong'] });

export const DeleteValues = exact({
  deviceId: Id,
  pointId: Id,
  from: Moment.describe('Included'),
  to: Moment.describe('Included, not in the future'),
  reason: Reason,
});
type DeleteValues = z.output<typeof DeleteValues>;

/**
 * Deletes the stored values of a point of a device from `from` to `to`: rows, closed hours with their statistics, and the
 * latest value, where it is one of them. Stored first, with its place in the change log, then done in slices: what is left
 * after some seconds, or when the process ends, is done in the background (RUNNING). Throws as `pairOf`, BadRequest for a
 * span that is empty or reaches into the future, Conflict where a hold covers a part of it.
 */
export const deleteValues: Operation<DeleteValues, ValueDeletion> = async (app, caller, given) => {
  const { tenantId } = caller;
  const { deviceId, pointId, from, to, reason } = given;
  const now = app.clock.now();
  if (from > to) throw new BadRequest('from has to be before to');
  if (to > now) throw new BadRequest('to must not be in the future');
  const id = await inTenant(app.db, tenantId, async (q) => {
    const { names } = await pairOf(q, tenantId, given);
    await shareHolds(q, tenantId);
    await demandFree(q, tenantId, given, { from, to });
    return addDeletion(q, app, caller, {
      deletionName: `${names.deviceName} · ${names.pointName}, ${isoOf(from)} – ${isoOf(to)}`,
      deviceId,
      pointId,
      reason,
      fromTime: new Date(from),
      toTime: new Date(to),
    });
  });
  return carriedOut(app, tenantId, id);
};

type Columns = Pick<Insertable<ValueDeletionTable>, 'deletionName' | 'deviceId' | 'pointId'> &
  Record<'fromTime' | 'toTime', Date> & { importId?: string; reason: string };

/** Adds a deletion that runs, and its place in the audit; answers its id. Throws TooManyRequests while too many run. */
export async function addDeletion(
  q: Queries,
  app: App,
  caller: Caller,
  columns: Columns,
): Promise<string> {
  await demandRoom(q, caller.tenantId);
  const id = await addRow(q, app, caller, 'svc_value_deletion', columns);
  const { deletionName, fromTime, toTime, ...detail } = columns;
  await audit(app, q, caller, {
    action: 'DELETE',
    resourceType: 'point_value',
    resourceId: id,
    resourceName: deletionName,
    detail: { ...detail, from: fromTime.toISOString(), to: toTime.toISOString() },
  });
  return id;
}

/** A deletion that was added, as far as it came in some seconds. */
export async function carriedOut(app: App, tenantId: string, id: string): Promise<ValueDeletion> {
  const end = app.clock.now() + AT_ONCE_MS;
  app.crashAt('deletion-stored');
  while (app.clock.now() < end) if ((await deleteSome(app, tenantId, id)) !== 'more') break;
  return inOneTrip(app.db, tenantId, async (q) =>
    ValueDeletion.of(await rowOf(q, 'svc_value_deletion', tenantId, id)),
  );
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

async function demandRoom(q: Queries, tenantId: string): Promise<void> {
  const running = await q
    .selectFrom('svc_value_deletion')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('stateFlag', '=', DeletionState.RUNNING)
    .limit(MAX_RUNNING)
    .execute();
  if (running.length >= MAX_RUNNING)
    throw new TooManyRequests(`${MAX_RUNNING} deletions are running: wait until one is done`, 60);
}

export const DeletionQuery = input({ page: Page });

/** Newest first. */
export const page: Operation<z.output<typeof DeletionQuery>, Paged<ValueDeletion>> = (
  app,
  { tenantId },
  given,
) =>
  inOneTrip(app.db, tenantId, (q) =>
    pageOf(
      q
        .selectFrom('svc_value_deletion')
        .selectAll()
        .where('tenantId', '=', tenantId)
        .orderBy('id', 'desc'),
      given.page,
      ValueDeletion.of,
    ),
  );
