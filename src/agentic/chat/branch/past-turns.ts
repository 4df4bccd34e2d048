import { sql } from 'kysely';
import { z } from 'zod';

import { type ModelMessage, REASONING_FIELDS } from '../../../../providers/request/provider.ts';
import { exists } from '../../../db/check.ts';
import type { Queries } from '../../../db/connect.ts';
import { statement } from '../../../db/statement.ts';
import type { App, Caller } from '../../../kernel/app/app.ts';
import { storable } from '../../../kernel/input/text.ts';
import { sessionExists } from '../../session/session.ts';

/** Place of a stored turn: conversation, session row, and message index of the question. */
export type StoredTurn = { conversationId: string; sessionId: string; turnIndex: string };

/** Characters per text of users and models; tool results are shorter anyway (tool-call.ts). */
const MAX_TEXT = 32_000;
const TABLE = 'svc_chat_memory';

const ToolCall = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  vendorId: z.string().exactOptional(),
  extra: z.record(z.string(), z.unknown()).exactOptional(),
});
/** Given back within a turn alone, and no part of the conversation. */
const NOT_KEPT = new Set(['media', 'reasoning', 'extra', 'by']);
export const Messages: z.ZodType<ModelMessage[]> = z.array(
  z.discriminatedUnion('role', [
    z.object({ role: z.literal('user'), content: z.string() }),
    z.object({
      role: z.literal('assistant'),
      content: z.string(),
      toolCalls: z.array(ToolCall).default([]),
      reasoning: z.object({ field: z.enum(REASONING_FIELDS), text: z.string() }).exactOptional(),
      by: z.string().exactOptional(),
    }),
    z.object({ role: z.literal('tool'), toolCallId: z.string(), content: z.string() }),
  ]),
);

/**
 * Stores the messages of a turn, the question first, each text cut to 32,000 characters, and deletes turns
 * that no longer fit into AGENTIC_MEMORY_MAX_MESSAGES. Does nothing when the memory is off, or the session was
 * deleted.
 */
export async function keepMemory(
  app: App,
  q: Queries,
  { tenantId, principalId: userId }: Caller,
  { conversationId, sessionId, turnIndex }: StoredTurn,
  messages: readonly ModelMessage[],
): Promise<void> {
  const { enabled, maxMessages } = app.config.agentic.memory;
  if (!enabled) return;
  const text = JSON.stringify(messages, (key, value: unknown) => {
    // Images and files are not kept either.
    if (NOT_KEPT.has(key)) return undefined;
    return typeof value === 'string' ? storable(value.slice(0, MAX_TEXT)) : value;
  });
  const isOpen = sessionExists(tenantId, sessionId);
  await Promise.all([
    sql`
      insert into svc_chat_memory
        (conversation_id, turn_index, messages, message_count, tenant_id, user_id, create_time)
      select ${conversationId}, ${turnIndex}, ${text}, ${messages.length}, ${tenantId}, ${userId},
        ${new Date(app.clock.now())}
      where ${isOpen}
      on conflict (tenant_id, user_id, conversation_id, turn_index) do update
        set messages = excluded.messages, message_count = excluded.message_count`.execute(q),
    sql`
      delete from svc_chat_memory
      where tenant_id = ${tenantId} and user_id = ${userId} and conversation_id = ${conversationId}
        and ${isOpen} and turn_index < coalesce((
          select min(turn_index) from (
            select turn_index, sum(message_count) over (order by turn_index desc) as total
            from svc_chat_memory
            where tenant_id = ${tenantId} and user_id = ${userId}
              and conversation_id = ${conversationId}) turns
          where total <= ${maxMessages}), ${turnIndex}::bigint)`.execute(q),
  ]);
}

type Remembered = Pick<Caller, 'tenantId' | 'principalId'> & {
  conversationId: string;
  count: number;
};
const latestRemembered = statement((q, given: Remembered) =>
  q
    .selectFrom(TABLE)
    .select(['turnIndex', 'messages'])
    .where('tenantId', '=', given.tenantId)
    .where('userId', '=', given.principalId)
    .where('conversationId', '=', given.conversationId)
    .orderBy('turnIndex', 'desc')
    .limit(given.count)
    .compile(),
);

/** The latest `count` stored turns, by the index of their question; empty when the memory is off. */
export async function rememberedTurns(
  app: App,
  q: Queries,
  { tenantId, principalId }: Caller,
  conversationId: string,
  count: number,
): Promise<Map<number, ModelMessage[]>> {
  if (!app.config.agentic.memory.enabled) return new Map();
  const rows = await latestRemembered(q, { tenantId, principalId, conversationId, count });
  return new Map(
    rows.map((row) => {
      const turnIndex = Number(row.turnIndex);
      return [turnIndex, withOwnIds(Messages.safeParse(row.messages).data ?? [], turnIndex)];
    }),
  );
}

/** Deletes a conversation's memory, also when the memory is off by now; its table may not exist. */
export async function forgetMemory(
  q: Queries,
  { tenantId, principalId }: Pick<Caller, 'tenantId' | 'principalId'>,
  conversationId: string,
): Promise<void> {
  if (!(await exists(q, TABLE))) return;
  await q
    .deleteFrom(TABLE)
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('conversationId', '=', conversationId)
    .execute();
}

/** Call ids are unique in their turn, but vendors require them to be unique in a request: renumbers them. */
function withOwnIds(messages: readonly ModelMessage[], turnIndex: number): ModelMessage[] {
  const ids = new Map<string, string>();
  let count = 0;
  return messages.map((message) => {
    if (message.role === 'tool') {
      return { ...message, toolCallId: ids.get(message.toolCallId) ?? message.toolCallId };
    }
    if (message.role !== 'assistant' || !message.toolCalls) return message;
    const toolCalls = message.toolCalls.map((call) => {
      const id = `m${turnIndex}_${count}`;
      count += 1;
      // An id may occur again in a later round: a result belongs to the latest call with its id.
      ids.set(call.id, id);
      return { ...call, id };
    });
    return { ...message, toolCalls };
  });
}

/** Marks a truncated answer. */
export const BROKEN_OFF = 'This answer broke off here.';

/**
 * A turn in a form that vendors accept again: no call without its result, no result without its call, an
 * answer at the end. `unsaid` is the text received after the last complete message.
 */
export function wholeTurn(messages: readonly ModelMessage[], unsaid: string): ModelMessage[] {
  const whole: ModelMessage[] = [];
  for (let at = 0; at < messages.length;) {
    const message = messages[at];
    if (!message) break;
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    const results = messages.slice(at + 1, at + 1 + calls.length);
    const isAnswered = calls.every(({ id }, index) => {
      const result = results[index];
      return result?.role === 'tool' && result.toolCallId === id;
    });
    if (!isAnswered) break;
    whole.push(message, ...results);
    at += 1 + calls.length;
  }
  const last = whole.at(-1);
  if (last && isClosing(last)) return whole;
  // A turn stopped between a call and its result ends with the text that was sent to the user.
  const closing = messages.at(-1);
  const said = unsaid || (closing && isClosing(closing) ? closing.content : '');
  return [...whole.filter(isSaid), { role: 'assistant', content: said || BROKEN_OFF }];
}

/** An assistant message with text and without calls, as at the end of a turn. */
const isClosing = (message: ModelMessage): boolean =>
  message.role === 'assistant' && !message.toolCalls?.length && message.content.trim() !== '';

/** Vendors refuse assistant messages with neither text nor calls. */
const isSaid = (message: ModelMessage): boolean =>
  message.role !== 'assistant' || Boolean(message.toolCalls?.length) || isClosing(message);

/** One turn in both forms: `exact` with its tool messages if remembered, `said` with its texts only. */
export type PastTurn = { exact: readonly ModelMessage[]; said: readonly ModelMessage[] };

/**
 * The latest whole turns that fit into `max` messages together; a turn that is too large with its tool
 * messages is reduced to its texts.
 */
export function withinMemory(turns: readonly PastTurn[], max: number): ModelMessage[] {
  const shown: (readonly ModelMessage[])[] = [];
  let left = max;
  for (const { exact, said } of turns.toReversed()) {
    const fitting = [exact, said].find(({ length }) => length <= left);
    if (!fitting) break;
    left -= fitting.length;
    shown.unshift(fitting);
  }
  return shown.flat();
}
