import { hash } from 'node:crypto';

import { type Selectable, sql } from 'kysely';
import { z } from 'zod';

import type { App, Caller, Operation } from '../../app.ts';
import { storable } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import type { MessageTable } from '../../db/schema/agentic.ts';
import { inOneTrip } from '../../db/tenant.ts';
import { answer, AnswerId, Int8, named, Time } from '../../entity/answer.ts';
import { handlesFound } from './handle.ts';
import { Content } from './message-content.ts';
import { type ByConversationId, sessionExists } from './session.ts';
import { treeOf, versionsIn } from './tree.ts';

export const MESSAGE_STATUS = { OK: 0, UNFINISHED: 1 } as const;
const MAX_LISTED = 500;

export const ROLES = ['user', 'assistant'] as const;

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
  versions: z
    .array(z.number().int())
    .describe(
      'Indexes of all messages with the same predecessor, its own among them; empty: it is the only one',
    ),
});
export type Message = z.output<typeof Message.schema>;

export type NewMessage = {
  role: (typeof ROLES)[number];
  content: Content;
  model: string;
  isFinished: boolean;
  /** Of a receipt: its action, and the step that it reports: 0 end, 1 reading, 2 proof. */
  receiptOf?: { actionId: string; step: 0 | 1 | 2 };
  /** Of an answer: the session of its question, without which it is not stored. */
  sessionId?: string;
  /** Index of the question of an answer that may have begun: then its unfinished message is replaced. */
  continues?: string;
  turnId?: string;
};

export function messageOf(
  row: Selectable<MessageTable>,
  versions: readonly number[] = [],
): Message {
  const content = Content.parse(row.content);
  return Message.of({
    ...row,
    content: content.text,
    contentExt: content,
    versions: [...versions],
  });
}

/**
 * Appends a message and answers its index; null when `sessionId` names a session that was deleted. An earlier
 * statement of this transaction must have locked the session: this one reads the highest index after that.
 */
export async function append(
  app: App,
  q: Queries,
  { tenantId, principalId: userId }: Pick<Caller, 'tenantId' | 'principalId'>,
  conversationId: string,
  { role, content, model, isFinished, receiptOf, sessionId, continues, turnId }: NewMessage,
): Promise<string | null> {
  const text = JSON.stringify(content, (_, value: unknown) =>
    typeof value === 'string' ? storable(value) : value,
  );
  const status = isFinished ? MESSAGE_STATUS.OK : MESSAGE_STATUS.UNFINISHED;
  const isOpen = sessionId === undefined ? sql`true` : sessionExists(tenantId, sessionId);
  const begun =
    continues === undefined
      ? sql`select null::bigint as message_index where false`
      : sql`
      update svc_message set content = ${text}, model = ${model}, status = ${status},
        turn_id = ${turnId ?? null}
      where tenant_id = ${tenantId} and user_id = ${userId} and conversation_id = ${conversationId}
        and ${isOpen} and message_index = (
          select min(message_index) from svc_message
          where tenant_id = ${tenantId} and user_id = ${userId} and conversation_id = ${conversationId}
            and message_index > ${continues} and on_branch and role = 'assistant' and action_id is null
            and status = ${MESSAGE_STATUS.UNFINISHED})
      returning message_index`;
  const { rows } = await sql<{ messageIndex: string }>`
    with begun as (${begun}), added as (
    insert into svc_message (conversation_id, message_index, role, content, model, status, tenant_id,
      user_id, create_time, action_id, action_step, turn_id, parent_index)
    select ${conversationId}, coalesce(max(message_index), 0) + 1, ${role}, ${text}, ${model},
      ${status}, ${tenantId}, ${userId}, ${new Date(app.clock.now())},
      ${receiptOf?.actionId ?? null}, ${receiptOf?.step ?? 0}, ${turnId ?? null},
      coalesce(max(message_index) filter (where on_branch), 0)
    from svc_message
    where tenant_id = ${tenantId} and user_id = ${userId} and conversation_id = ${conversationId}
    having ${isOpen} and not exists (select from begun)
    returning message_index)
    select message_index from begun union all select message_index from added`.execute(q);
  return rows[0]?.messageIndex ?? null;
}

const own = (q: Queries, { tenantId, principalId }: Caller, conversationId: string) =>
  q
    .selectFrom('svc_message')
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('conversationId', '=', conversationId);

/** A message as the next turns read it. */
export type Said = {
  messageIndex: string;
  role: (typeof ROLES)[number];
  text: string;
  isFinished: boolean;
};

/**
 * The latest `count` messages of the branch that goes on, or those before `before`, or of `path`; oldest first, without
 * receipts.
 */
export async function latestSaid(
  q: Queries,
  caller: Caller,
  conversationId: string,
  {
    count,
    before,
    path = null,
  }: { count: number; before?: number | undefined; path?: readonly number[] | null },
): Promise<Said[]> {
  const rows = await own(q, caller, conversationId)
    .select(['messageIndex', 'role', sql<string>`coalesce(content->>'text', '')`.as('text')])
    .select((eb) => eb('status', '=', MESSAGE_STATUS.OK).$castTo<boolean>().as('isFinished'))
    .where('actionId', 'is', null)
    .where(
      path === null
        ? sql<boolean>`on_branch`
        : sql<boolean>`message_index = any(${[...path]}::bigint[])`,
    )
    .$if(before !== undefined, (query) => query.where('messageIndex', '<', String(before)))
    .orderBy('messageIndex', 'desc')
    .limit(count)
    .execute();
  return rows.toReversed();
}

const EDGE = /^[ \t\r\n]+|[ \t\r\n]+$/g;
/** Clients drop blanks around a text. The index svc_message_said has the same expression. */
const keyOf = (text: string): string => hash('md5', storable(text).replaceAll(EDGE, ''));
/** Of an answer that is in no conversation (src/agentic/session/handle.ts). */
export const saidHandle = (text: string): string => `said:${keyOf(text)}`;
const said = sql<string>`md5(btrim(content ->> 'text', E' \\t\\r\\n'))`;

/** Those of `texts` that the platform answered to the user, with the conversations in which it did, the latest first. */
export async function answersFound(
  app: App,
  q: Queries,
  caller: Caller,
  texts: readonly string[],
): Promise<Map<string, string[]>> {
  const { tenantId, principalId } = caller;
  const messages = q
    .selectFrom('svc_message')
    .select(['conversationId', said.as('key')])
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('role', '=', 'assistant')
    .where(said, '=', sql<string>`any(${[...new Set(texts.map(keyOf))]})`)
    .orderBy('id', 'desc')
    .limit(MAX_LISTED)
    .execute();
  const [rows, handles] = await Promise.all([
    messages,
    handlesFound(app, q, caller, texts.map(saidHandle)),
  ]);
  const byKey = Map.groupBy(
    [
      ...rows.map((row) => ({ ...row, key: `said:${row.key}` })),
      ...handles.map(({ handle, conversationId }) => ({ conversationId, key: handle })),
    ],
    ({ key }) => key,
  );
  return new Map(
    texts.flatMap((text) => {
      const found = byKey.get(saidHandle(text))?.map(({ conversationId }) => conversationId);
      return found ? [[text, [...new Set(found)]] as const] : [];
    }),
  );
}

/** The latest 500 messages of the branch that goes on, oldest first; empty when there are none. */
export const list: Operation<z.output<typeof ByConversationId>, Message[]> = async (
  app,
  caller,
  { conversationId },
) => {
  const [rows, tree] = await inOneTrip(app.db, caller.tenantId, (q) =>
    Promise.all([
      own(q, caller, conversationId)
        .selectAll()
        .where('onBranch', '=', true)
        .orderBy('messageIndex', 'desc')
        .limit(MAX_LISTED)
        .execute(),
      treeOf(q, caller, conversationId),
    ]),
  );
  const versions = versionsIn(tree);
  return rows.toReversed().map((row) => messageOf(row, versions.get(Number(row.messageIndex))));
};
