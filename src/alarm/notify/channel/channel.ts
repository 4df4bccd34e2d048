import { isDeepStrictEqual } from 'node:util';

import type { Selectable } from 'kysely';
import { z } from 'zod';

import { pageOf } from '../../../db/query-page.ts';
import type { NotifyChannelTable } from '../../../db/schema/alarm.ts';
import { conflictIfTaken } from '../../../db/taken.ts';
import { inOneTrip, inTenant } from '../../../db/tenant.ts';
import type { Caller, Operation } from '../../../kernel/app/app.ts';
import { AnswerExt, named, numbered, stored } from '../../../kernel/entity/answer.ts';
import { addRow, changeRow, deleteRow } from '../../../kernel/entity/change.ts';
import { narrowed } from '../../../kernel/entity/narrowed.ts';
import { lockedRow, rowOf } from '../../../kernel/entity/row.ts';
import { BadRequest, Unprocessable } from '../../../kernel/errors.ts';
import { EnableFlag, flag } from '../../../kernel/input/flag.ts';
import { Id } from '../../../kernel/input/id.ts';
import { type ById, exact, Ext, GivenCode, input, shared } from '../../../kernel/input/input.ts';
import { Page, type Paged } from '../../../kernel/input/page.ts';
import { secret } from '../../../kernel/input/secret.ts';
import { Name, Text } from '../../../kernel/input/text.ts';
import { unknownIn } from '../../../kernel/input/unknown.ts';
import type { Channel } from '../../channel/delivery/channel.ts';
import { answerForm } from '../../channel/webhook.ts';
import { ChannelType } from '../../kind/delivery-status.ts';
import { extOf } from '../../kind/ext.ts';
import { lockUnused } from '../in-use.ts';
import { maskedFor } from '../masked-target.ts';
import { wake } from '../wake.ts';
import {
  leadsElsewhere,
  openCredential,
  sealAnswerSecret,
  sealCredential,
} from './channel-credential.ts';
import { openChannels, settingsOf } from './channels.ts';

/** A receiver and its transport; channelTypeFlag is a number (docs/specification/alarms.md, Enumerations). */
export const NotifyChannel = stored('NotifyChannel', {
  channelName: z.string().meta({ examples: ['Shift leader'] }),
  channelCode: z.string().meta({ examples: ['shift-leader'] }),
  channelTypeFlag: numbered(ChannelType),
  target: z
    .string()
    .meta({ examples: ['shift@plant.example'] })
    .describe(
      'Mail addresses (up to 20, separated by commas, each alone or as `Name <address>`), phone number or URL; empty: every delivery is refused. Of a URL a caller without notify_channel:update gets the host and the last four characters, and of `channelExt` the same',
    ),
  credentialRef: z
    .string()
    .describe(
      'A client’s own note about the source of the secret; the platform does not resolve it',
    ),
  credentialSet: z.boolean().describe('The secret itself is never returned'),
  answerSecretSet: z
    .boolean()
    .describe('Whether the answers of its receiver are heard; the secret is never returned'),
  channelExt: AnswerExt,
  enableFlag: named(EnableFlag),
});
export type NotifyChannel = z.output<typeof NotifyChannel.schema>;
const answered = Object.keys(NotifyChannel.schema.shape);

const channelAnswer =
  (caller: Caller) =>
  (row: Selectable<NotifyChannelTable>): NotifyChannel =>
    maskedFor(
      caller,
      NotifyChannel.of({
        ...row,
        credentialSet: row.credential !== '',
        answerSecretSet: row.answerSecret !== '',
      }),
    );

/** The address of a webhook may be its secret. */
const Target = secret(Text(2_048));
const Credential = secret(Text(4_096)).meta({
  examples: ['whsec_c3RlYW0ta2V0dGxlLWNvcHBlci12YWx2ZQ=='],
});
const AnswerSecret = secret(
  z.union([
    z.literal(''),
    z.string().regex(/^[\x21-\x7e]{16,256}$/, 'must be 16 to 256 printable characters'),
  ]),
)
  .describe(
    'Of a webhook of kind pagerduty, the secret of its webhook subscription; of kind opsgenie, what its outgoing webhook sends as the header X-Answer-Secret; empty: answers are not heard',
  )
  .meta({ examples: ['s3cr3t-of-the-outgoing-webhook'] });
const fields = {
  ...shared,
  credential: Credential.optional(),
  answerSecret: AnswerSecret.optional(),
  credentialRef: Text(256)
    .meta({ examples: ['NIGHT_SHIFT_WEBHOOK'] })
    .optional(),
  channelExt: Ext.optional(),
};

export const AddChannel = exact(
  {
    ...fields,
    channelName: Name,
    channelCode: GivenCode,
    channelTypeFlag: flag(ChannelType),
    target: Target.default(''),
  },
  answered,
);
type AddChannel = z.infer<typeof AddChannel>;

/** The channel type cannot change. An empty credential removes the secret. */
export const UpdateChannel = exact(
  {
    ...fields,
    id: Id,
    channelName: Name.optional(),
    target: Target.optional(),
  },
  answered,
);
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

type Given = { target: string; credential: string; ext: Record<string, unknown> };

/** Throws Unprocessable with the channel's own reason to refuse these settings. */
function refuseWrong(channel: Channel, { ext, ...given }: Given): void {
  const reason = channel.wrong({ ...given, settings: settingsOf(ext) });
  if (reason !== null) throw new Unprocessable(reason);
}

/** Throws Unprocessable for the secret of answers that no receiver with these settings sends. */
function refuseUnheard(type: number, ext: Record<string, unknown>, answerSecret = ''): void {
  if (answerSecret === '') return;
  const form = type === ChannelType.WEBHOOK ? answerForm(settingsOf(ext)) : null;
  if (form?.secret !== 'answerSecret')
    throw new Unprocessable('answerSecret is of webhooks of the kinds pagerduty and opsgenie');
}

/** Whether the receiver proves its answers in another way: the secret that it had proves nothing then. */
const answersOtherwise = (before: Record<string, unknown>, after: Record<string, unknown>) =>
  answerForm(settingsOf(before)) !== answerForm(settingsOf(after));

/** What clients send of channels that are no longer there; kept, without effect. */
const OF_CLIENTS = ['signEnabled', 'cardVersion', 'atAllAllowed', 'testMessageEnabled', 'options'];

/** Throws BadRequest for a setting that the channel does not know. */
function refuseUnknown({ settings }: Channel, ext: Record<string, unknown>): void {
  if (!settings) return;
  const kept = Object.fromEntries(OF_CLIENTS.map((key) => [key, z.unknown()]));
  const known = z.object({ ...settings.shape, ...kept });
  const around = extOf(known);
  // As settingsOf: without a content the ext itself has the settings.
  const schema = ext['content'] == null ? around.extend(known.shape) : around;
  const [first] = unknownIn(schema, ext);
  if (!first) return;
  const path = ['channelExt', ...first.path].join('.');
  throw new BadRequest(`${path}: ${first.message}`, { fields: { [path]: first.message } });
}

export const add: Operation<AddChannel, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const { credential = '', answerSecret = '', channelExt = '{}', ...row } = given;
  const { channelTypeFlag: type, target } = row;
  const channelOf = await openChannels(app);
  const ext = readExt(channelExt);
  refuseUnknown(channelOf(type), ext);
  refuseUnheard(type, ext, answerSecret);
  if (target !== '') refuseWrong(channelOf(type), { target, credential, ext });
  const adding = inTenant(app.db, tenantId, async (q) => {
    const id = await addRow(q, app, caller, 'svc_notify_channel', { ...row, channelExt });
    // The seal is bound to the row id, which is known only after the insert.
    await q
      .updateTable('svc_notify_channel')
      .set({
        credential: sealCredential(app, { tenantId, id }, credential),
        answerSecret: sealAnswerSecret(app, { tenantId, id }, answerSecret),
      })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    return id;
  });
  return conflictIfTaken('channel', adding);
};

/**
 * Another URL origin or other settings remove the secret, and another kind that of answers, unless the request has a
 * new one. Unchanged targets are not validated again: a channel that has become invalid can still be renamed and disabled.
 */
export const update: Operation<UpdateChannel, void> = async (app, caller, given) => {
  const { id, credential, answerSecret, channelExt, ...change } = given;
  const { tenantId } = caller;
  const channelOf = await openChannels(app);
  const updating = inTenant(app.db, tenantId, async (q) => {
    const before = await lockedRow(q, 'svc_notify_channel', tenantId, id);
    const target = change.target ?? before.target;
    const ext = channelExt ? readExt(channelExt) : before.channelExt;
    const channel = channelOf(before.channelTypeFlag);
    if (!isDeepStrictEqual(ext, before.channelExt)) refuseUnknown(channel, ext);
    refuseUnheard(before.channelTypeFlag, ext, answerSecret);
    const asked = { target, settings: ext };
    const stood = { target: before.target, settings: before.channelExt };
    const renewed = credential ?? (leadsElsewhere(stood, asked) ? '' : null);
    if (target !== '' && (renewed !== null || target !== before.target))
      refuseWrong(channel, {
        target,
        credential: renewed ?? openCredential(app, before, before.credential) ?? '',
        ext,
      });
    const answers = answerSecret ?? (answersOtherwise(before.channelExt, ext) ? '' : undefined);
    await changeRow(q, app, caller, 'svc_notify_channel', {
      id,
      ...change,
      channelExt,
      credential: renewed === null ? undefined : sealCredential(app, before, renewed),
      answerSecret: answers === undefined ? undefined : sealAnswerSecret(app, before, answers),
    });
    await wake(q, tenantId, { channelId: id }, app.clock.now());
  });
  await conflictIfTaken('channel', updating);
};

/** Refused while a policy uses the channel; its unsent notifications end as FAILED. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockUnused(q, 'svc_notify_channel', tenantId, id);
    await deleteRow(q, 'svc_notify_channel', tenantId, id);
  });

export const byId: Operation<ById, NotifyChannel> = (app, caller, { id }) =>
  inOneTrip(app.db, caller.tenantId, async (q) =>
    channelAnswer(caller)(await rowOf(q, 'svc_notify_channel', caller.tenantId, id)),
  );

export const page: Operation<ChannelQuery, Paged<NotifyChannel>> = (app, caller, given) =>
  inOneTrip(app.db, caller.tenantId, (q) => {
    const query = narrowed(
      q.selectFrom('svc_notify_channel').selectAll().where('tenantId', '=', caller.tenantId),
      given,
      { like: ['channelName', 'channelCode'], equal: ['channelTypeFlag', 'enableFlag'] },
    );
    return pageOf(query.orderBy('id', 'desc'), given.page, channelAnswer(caller));
  });
