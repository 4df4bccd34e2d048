import { randomBytes } from 'node:crypto';

import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { NotFound } from '../../kernel/errors.ts';
import { Text } from '../../kernel/input/text.ts';
import { ConversationId, openSession, titleOf } from '../session/session.ts';
import {
  addMessages,
  GivenItems,
  messagesIn,
  noConversation,
  noteGiven,
} from './conversation-items.ts';
import { remove } from './removal.ts';

const MAX_PAIRS = 16;

const Metadata = z
  .record(Text(64), Text(512))
  .refine((given) => Object.keys(given).length <= MAX_PAIRS, `at most ${MAX_PAIRS} pairs`);

/** A stored conversation in the form of OpenAI's Conversations API. */
export const ChatConversation = z
  .object({
    id: z.string().meta({ examples: ['conv_5f0c9a7d1e2b3a4c5d6e7f80'] }),
    object: z.literal('conversation'),
    created_at: z.number().int().describe('Seconds since the epoch'),
    metadata: z.record(z.string(), z.string()),
  })
  .meta({ id: 'ChatConversation' });
type ChatConversation = z.output<typeof ChatConversation>;

export const DeletedConversation = z
  .object({
    id: z.string(),
    object: z.literal('conversation.deleted'),
    deleted: z.literal(true),
  })
  .meta({ id: 'DeletedConversation' });
type DeletedConversation = z.output<typeof DeletedConversation>;

export const ById = z.object({ id: ConversationId });
export const Create = z.object({ metadata: Metadata.nullish(), items: GivenItems.nullish() });
export const Update = ById.extend({ metadata: Metadata.nullable() });

/** POST /conversations: an empty conversation, or one that begins with these messages. */
export async function createConversation(
  app: App,
  caller: Caller,
  { metadata, items }: z.output<typeof Create>,
): Promise<ChatConversation> {
  const id = `conv_${randomBytes(12).toString('hex')}`;
  const messages = messagesIn(items ?? []);
  await noteGiven(app, caller, id, messages);
  await inTenant(app.db, caller.tenantId, async (q) => {
    const title = titleOf(messages.find(({ role }) => role === 'user')?.text ?? '');
    await openSession(app, q, caller, { conversationId: id, title });
    if (metadata) await setMetadata(q, caller, id, metadata);
    await addMessages(app, q, caller, id, messages);
  });
  return conversationById(app, caller, { id });
}

/** GET /conversations/{id}: an own conversation, however it began. Throws 404. */
export const conversationById = (
  app: App,
  caller: Caller,
  { id }: z.output<typeof ById>,
): Promise<ChatConversation> =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    const row = await q
      .selectFrom('svc_session')
      .select(['createTime', sql`session_ext -> 'metadata'`.as('metadata')])
      .where('tenantId', '=', caller.tenantId)
      .where('userId', '=', caller.principalId)
      .where('conversationId', '=', id)
      .executeTakeFirst();
    if (!row) throw noConversation(id);
    const created_at = Math.floor(row.createTime.getTime() / 1000);
    const metadata = Metadata.safeParse(row.metadata).data ?? {};
    return { id, object: 'conversation', created_at, metadata };
  });

/** POST /conversations/{id}: replaces the metadata; null removes it. Throws 404. */
export async function updateConversation(
  app: App,
  caller: Caller,
  { id, metadata }: z.output<typeof Update>,
): Promise<ChatConversation> {
  await inOneTrip(app.db, caller.tenantId, (q) => setMetadata(q, caller, id, metadata ?? {}));
  return conversationById(app, caller, { id });
}

/** DELETE /conversations/{id}: with its messages, memory, attachments and responses. Throws 404. */
export async function removeConversation(
  app: App,
  caller: Caller,
  { id }: z.output<typeof ById>,
): Promise<DeletedConversation> {
  await remove(app, caller, { conversationId: id }).catch((error: unknown) => {
    throw error instanceof NotFound ? noConversation(id) : error;
  });
  return { id, object: 'conversation.deleted', deleted: true };
}

/** Beside the preferences of a conversation, which leave out what they do not know. */
const setMetadata = (
  q: Queries,
  { tenantId, principalId }: Caller,
  id: string,
  metadata: z.output<typeof Metadata>,
): Promise<unknown> =>
  q
    .updateTable('svc_session')
    .set({ sessionExt: sql`session_ext || ${JSON.stringify({ metadata })}::jsonb` })
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('conversationId', '=', id)
    .execute();
