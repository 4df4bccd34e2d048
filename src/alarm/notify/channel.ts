import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { App, Operation } from '../../app.ts';
import { NotFound, Unprocessable } from '../../core/errors.ts';
import { EnableFlag, flag, nameOf } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, Ext, GivenCode, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Name, Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { NotifyChannelTable } from '../../db/schema/alarm.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { type Base, baseOf } from '../base-fields.ts';
import { leadsElsewhere, openCredential, sealCredential } from './channel-credential.ts';
import { ChannelType } from './channel-type.ts';
import { channelOf, settingsOf } from './channels.ts';
import { lockUnused } from './in-use.ts';

/** A receiver and its transport; channelTypeFlag is a number (docs/specification/alarms.md, Enumerations). */
export type NotifyChannel = Base & {
  channelName: string;
  channelCode: string;
  channelTypeFlag: number;
  /** Mail address, phone number or URL; may be empty, then every delivery is refused. */
  target: string;
  /** A client's own note about the source of the secret; the platform does not resolve it. */
  credentialRef: string;
  /** The secret itself is never returned. */
  credentialSet: boolean;
  channelExt: Record<string, unknown>;
  enableFlag: keyof typeof EnableFlag;
};

type Row = Selectable<NotifyChannelTable>;

const channelAnswer = (row: Row): NotifyChannel => ({
  ...baseOf(row),
  channelName: row.channelName,
  channelCode: row.channelCode,
  channelTypeFlag: row.channelTypeFlag,
  target: row.target,
  credentialRef: row.credentialRef,
  credentialSet: row.credential !== '',
  channelExt: row.channelExt,
  enableFlag: nameOf(EnableFlag, row.enableFlag),
});

const Target = Text(2_048);
const Credential = Text(4_096);
const fields = {
  ...shared,
  credential: Credential.optional(),
  credentialRef: Text(256).optional(),
  channelExt: Ext.optional(),
};

export const AddChannel = input({
  ...fields,
  channelName: Name,
  channelCode: GivenCode,
  channelTypeFlag: flag(ChannelType),
  target: Target.default(''),
});
type AddChannel = z.infer<typeof AddChannel>;

/** The channel type cannot change. An empty credential removes the secret. */
export const UpdateChannel = input({
  ...fields,
  id: Id,
  channelName: Name.optional(),
  target: Target.optional(),
});
type UpdateChannel = z.infer<typeof UpdateChannel>;

export const ChannelQuery = input({
  page: Page,
  channelName: Text(64).optional(),
  channelCode: Text(64).optional(),
  channelTypeFlag: flag(ChannelType).optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type ChannelQuery = z.infer<typeof ChannelQuery>;

const readExt = (text: string): Record<string, unknown> =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(text));

type Given = { type: number; target: string; credential: string; ext: Record<string, unknown> };

/** Throws Unprocessable with the channel's own reason to refuse these settings. */
function refuseWrong(app: App, { type, ext, ...given }: Given): void {
  const reason = channelOf(app, type).wrong({ ...given, settings: settingsOf(ext) });
  if (reason !== null) throw new Unprocessable(reason);
}

export const add: Operation<AddChannel, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const { credential = '', channelExt = '{}', ...row } = given;
  const { channelTypeFlag: type, target } = row;
  if (target !== '') refuseWrong(app, { type, target, credential, ext: readExt(channelExt) });
  const adding = inTenant(app.db, tenantId, async (q) => {
    const { id } = await q
      .insertInto('svc_notify_channel')
      .values({ ...row, channelExt, tenantId, ...created(app, caller) })
      .returning('id')
      .executeTakeFirstOrThrow();
    // The seal is bound to the row id, which is known only after the insert.
    await q
      .updateTable('svc_notify_channel')
      .set({ credential: sealCredential(app, { tenantId, id }, credential) })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    return id;
  });
  return conflictIfTaken('channel', adding);
};

/**
 * Another URL origin or other settings remove the secret, unless the request has a new one. Unchanged targets
 * are not validated again: a channel that has become invalid can still be renamed and disabled.
 */
export const update: Operation<UpdateChannel, void> = async (app, caller, given) => {
  const { id, credential, channelExt, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    const before = await find(q, tenantId, id);
    const target = change.target ?? before.target;
    const ext = channelExt ? readExt(channelExt) : before.channelExt;
    const asked = { target, settings: ext };
    const stood = { target: before.target, settings: before.channelExt };
    const secret = credential ?? (leadsElsewhere(stood, asked) ? '' : null);
    if (target !== '' && (secret !== null || target !== before.target))
      refuseWrong(app, {
        type: before.channelTypeFlag,
        target,
        credential: secret ?? openCredential(app, before, before.credential) ?? '',
        ext,
      });
    await q
      .updateTable('svc_notify_channel')
      .set({
        ...change,
        ...(channelExt ? { channelExt } : {}),
        ...(secret === null ? {} : { credential: sealCredential(app, before, secret) }),
        ...touched(app, caller),
      })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });
  await conflictIfTaken('channel', updating);
};

/** Throws NotFound; locks the row until the end of the transaction. */
async function find(q: Queries, tenantId: string, id: string): Promise<Row> {
  const row = await q
    .selectFrom('svc_notify_channel')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw new NotFound('Channel');
  return row;
}

/** Refused while a policy uses the channel; its unsent notifications end as FAILED. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockUnused(q, 'svc_notify_channel', tenantId, id);
    await q
      .deleteFrom('svc_notify_channel')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });

export const byId: Operation<ById, NotifyChannel> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    const row = await q
      .selectFrom('svc_notify_channel')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new NotFound('Channel');
    return channelAnswer(row);
  });

export const page: Operation<ChannelQuery, Paged<NotifyChannel>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_notify_channel').selectAll().where('tenantId', '=', tenantId);
    if (given.channelName) query = query.where('channelName', 'ilike', contains(given.channelName));
    if (given.channelCode) query = query.where('channelCode', 'ilike', contains(given.channelCode));
    for (const name of ['channelTypeFlag', 'enableFlag'] as const) {
      const value = given[name];
      if (value !== undefined) query = query.where(name, '=', value);
    }
    return pageOf(query.orderBy('id', 'desc'), given.page, channelAnswer);
  });
