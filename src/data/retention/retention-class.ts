import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import { stored, Time, YesNo } from '../../kernel/entity/answer.ts';
import { byIdIn } from '../../kernel/entity/by-id.ts';
import { addRow, changeRow, deleteRow } from '../../kernel/entity/change.ts';
import { hold, lockedRow } from '../../kernel/entity/row.ts';
import { BadRequest, Conflict, Unprocessable } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, exact, input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { quoted } from '../../kernel/sentence/voice.ts';

const MAX_CLASSES = 50;
const MAX_PROFILES = 500;
const MAX_DAYS = 36_500;
/** Between a change of a class and what is deleted because of it: a slip can be taken back. */
const GRACE_MS = 24 * 3_600_000;

const forRecords = (what: string) =>
  z
    .number()
    .int()
    .nullable()
    .describe(`Whole days of UTC for which ${what} are kept; null: for ever`);

/** For how long values of devices are kept; that of all devices says it of records beside values too. */
export const RetentionClass = stored('RetentionClass', {
  className: z.string().meta({ examples: ['Two years'] }),
  defaultFlag: YesNo.describe('Of all devices whose profile is in no class'),
  profileIds: z.array(z.string()).describe('Profiles whose devices it is for'),
  valueDays: z
    .number()
    .int()
    .nullable()
    .describe('Whole days of UTC for which values are kept; null: for ever'),
  alarmDays: forRecords('alarms that are over and confirmed'),
  notificationDays: forRecords('notifications'),
  eventDays: forRecords('events of devices'),
  conversationDays: forRecords('conversations without a new message'),
  beginTime: Time.describe('Nothing is deleted because of it before then'),
});
type RetentionClass = z.output<typeof RetentionClass.schema>;
const answered = Object.keys(RetentionClass.schema.shape);

const Days = z.number().int().min(1).max(MAX_DAYS).nullable();
const fields = {
  defaultFlag: z.boolean().optional(),
  profileIds: z.array(Id).max(MAX_PROFILES).optional(),
  alarmDays: Days.optional(),
  notificationDays: Days.optional(),
  eventDays: Days.optional(),
  conversationDays: Days.optional(),
  remark: Text(512).optional(),
};

export const AddClass = exact(
  {
    ...fields,
    className: Name,
    valueDays: Days.optional()
      .describe('left out or null: for ever')
      .meta({ examples: [730] }),
  },
  answered,
);
type AddClass = z.output<typeof AddClass>;

export const UpdateClass = exact(
  { ...fields, id: Id, className: Name.optional(), valueDays: Days.optional() },
  answered,
);
type UpdateClass = z.output<typeof UpdateClass>;

export const ClassQuery = input({ page: Page });

type Change = Omit<UpdateClass, 'id'>;

/** Columns of what is given. A change of what is kept begins to count a day later. */
const columnsOf = (app: App, { defaultFlag, profileIds, ...given }: Change) => ({
  ...given,
  defaultFlag: defaultFlag === undefined ? undefined : Number(defaultFlag),
  profileIds: profileIds === undefined ? undefined : JSON.stringify(profileIds),
  beginTime: new Date(app.clock.now() + GRACE_MS),
});

/** Throws NotFound for a profile of another tenant, Conflict for one that is in a class, or a second default. */
export const add: Operation<AddClass, string> = (app, caller, given) =>
  conflictIfTaken(
    'retention class',
    inTenant(app.db, caller.tenantId, async (q) => {
      const { tenantId } = caller;
      await lockClasses(q, tenantId);
      await demandPlace(q, tenantId, { id: '0', ...given });
      demandOfAll(given);
      const { className, valueDays = null, ...more } = given;
      const columns = { ...columnsOf(app, more), className, valueDays };
      const id = await addRow(q, app, caller, 'svc_retention_class', columns);
      await sweepFrom(q, tenantId, columns.beginTime);
      return id;
    }),
  );

export const update: Operation<UpdateClass, void> = async (app, caller, { id, ...given }) => {
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    await lockClasses(q, tenantId);
    const before = await lockedRow(q, 'svc_retention_class', tenantId, id);
    await demandPlace(q, tenantId, {
      id,
      defaultFlag: given.defaultFlag ?? before.defaultFlag === 1,
      profileIds: given.profileIds ?? before.profileIds,
    });
    demandOfAll({
      ...before,
      ...given,
      defaultFlag: given.defaultFlag ?? before.defaultFlag === 1,
    });
    const columns = columnsOf(app, given);
    await changeRow(q, app, caller, 'svc_retention_class', { id, ...columns });
    await sweepFrom(q, tenantId, columns.beginTime);
  });
  await conflictIfTaken('retention class', updating);
};

/** Its devices then are of the default class. Nothing is deleted because of that for a day. */
export const remove: Operation<ById, void> = (app, caller, { id }) =>
  inTenant(app.db, caller.tenantId, async (q) => {
    const { tenantId } = caller;
    await lockClasses(q, tenantId);
    const { defaultFlag } = await lockedRow(q, 'svc_retention_class', tenantId, id);
    await deleteRow(q, 'svc_retention_class', tenantId, id);
    if (defaultFlag === 1) return;
    const beginTime = new Date(app.clock.now() + GRACE_MS);
    await sql`update svc_retention_class set begin_time = greatest(begin_time, ${beginTime})
      where tenant_id = ${tenantId} and default_flag = 1`.execute(q);
    await sweepFrom(q, tenantId, beginTime);
  });

export const byId: Operation<ById, RetentionClass> = byIdIn(
  'svc_retention_class',
  RetentionClass.of,
);

export const page: Operation<z.output<typeof ClassQuery>, Paged<RetentionClass>> = (
  app,
  { tenantId },
  given,
) =>
  inOneTrip(app.db, tenantId, (q) =>
    pageOf(
      q
        .selectFrom('svc_retention_class')
        .selectAll()
        .where('tenantId', '=', tenantId)
        .orderBy('defaultFlag', 'desc')
        .orderBy('id'),
      given.page,
      RetentionClass.of,
    ),
  );

/** Classes are changed one after the other, and not while values are deleted by them. */
const keyOf = (tenantId: string) => sql`hashtextextended(${`retention ${tenantId}`}::text, 0)`;

const lockClasses = (q: Queries, tenantId: string) =>
  sql`select pg_advisory_xact_lock(${keyOf(tenantId)})`.execute(q);

/** Until the end of the transaction no class of the tenant is changed. */
export const shareClasses = (q: Queries, tenantId: string) =>
  sql`select pg_advisory_xact_lock_shared(${keyOf(tenantId)})`.execute(q);

/** Records are of no profile. */
function demandOfAll({ defaultFlag = false, ...given }: Omit<Change, 'className'>): void {
  const { alarmDays, notificationDays, eventDays, conversationDays } = given;
  const days = [alarmDays, notificationDays, eventDays, conversationDays];
  if (!defaultFlag && days.some((each) => each != null))
    throw new BadRequest(
      'The class of all devices (defaultFlag) says for how long alarms, notifications, events and conversations are kept',
    );
}

type Placed = {
  id: string;
  defaultFlag?: boolean | undefined;
  profileIds?: readonly string[] | undefined;
};

async function demandPlace(
  q: Queries,
  tenantId: string,
  { id, defaultFlag = false, profileIds = [] }: Placed,
): Promise<void> {
  for (const profileId of profileIds) await hold(q, 'svc_profile', tenantId, profileId);
  if (!defaultFlag && profileIds.length === 0)
    throw new BadRequest('A class is for all devices (defaultFlag) or for those of profileIds');
  if (defaultFlag && profileIds.length > 0)
    throw new BadRequest('The class of all devices names no profileIds');
  const others = await q
    .selectFrom('svc_retention_class')
    .select(['id', 'className', 'defaultFlag', 'profileIds'])
    .where('tenantId', '=', tenantId)
    .where('id', '!=', id)
    .execute();
  if (others.length >= MAX_CLASSES)
    throw new Unprocessable(`A tenant has at most ${MAX_CLASSES} classes of retention`);
  const taken = others.find(
    (other) =>
      (defaultFlag && other.defaultFlag === 1) ||
      other.profileIds.some((profileId) => profileIds.includes(profileId)),
  );
  if (taken)
    throw new Conflict(
      `The class ${quoted(taken.className)} is for ${defaultFlag ? 'all devices' : 'one of the profiles'} already`,
    );
}

/** The values of the tenant are looked through at `time`, if not sooner. */
const sweepFrom = (q: Queries, tenantId: string, time: Date) =>
  sql`insert into svc_retention_run as r (tenant_id, due_time) values (${tenantId}, ${time})
    on conflict (tenant_id) do update set due_time = least(r.due_time, excluded.due_time)`.execute(
    q,
  );
