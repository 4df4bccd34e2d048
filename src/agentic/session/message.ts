import { type Selectable, sql } from 'kysely';
import { z } from 'zod';

import type { App, Caller, Operation } from '../../app.ts';
import { storable } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import type { MessageTable } from '../../db/schema/agentic.ts';
import { inTenant } from '../../db/tenant.ts';
import { answer, AnswerId, Int8, named, Time } from '../../entity/answer.ts';
import type { ByConversationId } from './session.ts';

const MESSAGE_STATUS = { OK: 0, UNFINISHED: 1 } as const;
const MAX_LISTED = 500;

/** One tool call of an answer (docs/specification/tools.md 5); its result is not stored here. */
const Trace = z.object({
  callId: z.string(),
  name: z.string(),
  title: z.string().catch(''),
  domain: z.string().catch(''),
  status: z.string(),
  durationMs: z.number().catch(0),
});

const Attached = z.object({
  id: z.string(),
  fileName: z.string(),
  contentType: z.string(),
  size: z.number(),
});

/**
 * Content of a stored message; `actions` are ids, svc_action holds their state. A message with a `receipt`
 * comes from the platform and reports the end of an action (action/outcome-notice.ts).
 */
export const Content = z.object({
  text: z.string().catch(''),
  tools: z.array(Trace).catch([]),
  actions: z.array(z.string()).catch([]),
  attachments: z.array(Attached).optional().catch(undefined),
  receipt: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
export type Content = z.infer<typeof Content>;

const ROLES = ['user', 'assistant'] as const;

/** A message in the shape of existing clients: its text, and beside it the whole content. */
export const Message = answer('Message', {
  id: AnswerId,
  conversationId: z.string().meta({ examples: ['night-shift'] }),
  messageIndex: Int8,
  role: z.enum(ROLES),
  content: z.string().meta({ examples: ['Boiler 2 is at 41 °C.'] }),
  contentExt: Content,
  model: z.string().meta({ examples: ['qwen3:8b'] }),
  status: named(MESSAGE_STATUS),
  createTime: Time,
});
export type Message = z.output<typeof Message.schema>;

export type NewMessage = {
  role: (typeof ROLES)[number];
  content: Content;
  model: string;
  isFinished: boolean;
  /** Of a receipt: its action, and the step that it reports: 0 end, 1 reading, 2 proof. */
  receiptOf?: { actionId: string; step: 0 | 1 | 2 };
};

function messageOf(row: Selectable<MessageTable>): Message {
  const content = Content.parse(row.content);
  return Message.of({ ...row, content: content.text, contentExt: content });
}

/** Appends a message; this transaction must hold the session's lock. Returns the index of the message. */
export async function append(
  app: App,
  q: Queries,
  { tenantId, principalId: userId }: Pick<Caller, 'tenantId' | 'principalId'>,
  conversationId: string,
  { role, content, model, isFinished, receiptOf }: NewMessage,
): Promise<string> {
  const { next } = await q
    .selectFrom('svc_message')
    .select(sql<string>`coalesce(max(message_index), 0) + 1`.as('next'))
    .where('tenantId', '=', tenantId)
    .where('userId', '=', userId)
    .where('conversationId', '=', conversationId)
    .executeTakeFirstOrThrow();
  await q
    .insertInto('svc_message')
    .values({
      conversationId,
      messageIndex: next,
      role,
      content: JSON.stringify(content, (_, value: unknown) =>
        typeof value === 'string' ? storable(value) : value,
      ),
      model,
      status: isFinished ? MESSAGE_STATUS.OK : MESSAGE_STATUS.UNFINISHED,
      tenantId,
      userId,
      createTime: new Date(app.clock.now()),
      actionId: receiptOf?.actionId ?? null,
      actionStep: receiptOf?.step ?? 0,
    })
    .execute();
  return next;
}

/** The latest `count` messages, oldest first; without `withReceipts` the receipts are left out. */
export async function latestMessages(
  q: Queries,
  { tenantId, principalId }: Caller,
  conversationId: string,
  { count, withReceipts }: { count: number; withReceipts: boolean },
): Promise<Message[]> {
  let query = q
    .selectFrom('svc_message')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('conversationId', '=', conversationId)
    .orderBy('messageIndex', 'desc')
    .limit(count);
  if (!withReceipts) query = query.where('actionId', 'is', null);
  return (await query.execute()).toReversed().map(messageOf);
}

/** The latest 500 messages of the user's conversation; empty when there are none. */
export const list: Operation<z.output<typeof ByConversationId>, Message[]> = (
  app,
  caller,
  { conversationId },
) =>
  inTenant(app.db, caller.tenantId, (q) =>
    latestMessages(q, caller, conversationId, { count: MAX_LISTED, withReceipts: true }),
  );
