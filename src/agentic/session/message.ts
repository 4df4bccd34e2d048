import { hash } from 'node:crypto';

import { type RawBuilder, type Selectable, sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import type { MessageTable } from '../../db/schema/agentic.ts';
import { statement } from '../../db/statement.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { answer, AnswerId, Int8, named, Time } from '../../kernel/entity/answer.ts';
import { storable } from '../../kernel/input/text.ts';
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

type Added = Record<'tenantId' | 'userId' | 'conversationId' | 'role' | 'text' | 'model', string> &
  Record<'actionId' | 'turnId' | 'sessionId' | 'continues', string | null> & {
    status: number;
    actionStep: number;
    now: Date;
  };

const isOpen = ({ tenantId, sessionId }: Added) =>
  sql`(${sessionId}::bigint is null or ${sessionExists(tenantId, sql`${sessionId}::bigint`)})`;

const NONE = sql`select null::bigint as message_index where false`;

const added = statement((q, given: Added) => addedUnless(NONE, given).compile(q));
const addedOrContinued = statement((q, given: Added) =>
  addedUnless(
    sql`
      update svc_message set content = ${given.text}, model = ${given.model},
        status = ${given.status}, turn_id = ${given.turnId}
      where tenant_id = ${given.tenantId} and user_id = ${given.userId}
        and conversation_id = ${given.conversationId} and ${isOpen(given)} and message_index = (
          select min(message_index) from svc_message
          where tenant_id = ${given.tenantId} and user_id = ${given.userId}
            and conversation_id = ${given.conversationId} and message_index > ${given.continues}
            and on_branch and role = 'assistant' and action_id is null
            and status = ${MESSAGE_STATUS.UNFINISHED})
      returning message_index`,
    given,
  ).compile(q),
);

const addedUnless = (begun: RawBuilder<unknown>, given: Added) => sql<{ messageIndex: string }>`
    with begun as (${begun}), added as (
    insert into svc_message (conversation_id, message_index, role, content, model, status, tenant_id,
      user_id, create_time, action_id, action_step, turn_id, parent_index)
    select ${given.conversationId}, coalesce(max(message_index), 0) + 1, ${given.role},
      ${given.text}, ${given.model}, ${given.status}, ${given.tenantId}, ${given.userId},
      ${given.now}, ${given.actionId}, ${given.actionStep}, ${given.turnId},
      coalesce(max(message_index) filter (where on_branch), 0)
    from svc_message
    where tenant_id = ${given.tenantId} and user_id = ${given.userId}
      and conversation_id = ${given.conversationId}
    having ${isOpen(given)} and not exists (select from begun)
    returning message_index)
    select message_index from begun union all select message_index from added`;

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
  const add = continues === undefined ? added : addedOrContinued;
  const [row] = await add(q, {
    tenantId,
    userId,
    conversationId,
    role,
    text,
    model,
    status: isFinished ? MESSAGE_STATUS.OK : MESSAGE_STATUS.UNFINISHED,
    now: new Date(app.clock.now()),
    actionId: receiptOf?.actionId ?? null,
    actionStep: receiptOf?.step ?? 0,
    turnId: turnId ?? null,
    sessionId: sessionId ?? null,
    continues: continues ?? null,
  });
  return row?.messageIndex ?? null;
}

const own = (
  q: Queries,
  { tenantId, principalId }: Pick<Caller, 'tenantId' | 'principalId'>,
  conversationId: string,
) =>
  q
    .selectFrom('svc_message')
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('conversationId', '=', conversationId);

/** A message as the next turns read it. */
export type Texts = {
  messageIndex: string;
  role: (typeof ROLES)[number];
  text: string;
  isFinished: boolean;
  /** It is of no turn: a client stored it. */
  isGiven: boolean;
};

type Latest = Pick<Caller, 'tenantId' | 'principalId'> & {
  conversationId: string;
  count: number;
  before: string | null;
  path: readonly number[] | null;
};

const latestWhere = (q: Queries, given: Latest, condition: RawBuilder<boolean>) =>
  own(q, given, given.conversationId)
    .select(['messageIndex', 'role', sql<string>`coalesce(content->>'text', '')`.as('text')])
    .select((eb) => eb('status', '=', MESSAGE_STATUS.OK).$castTo<boolean>().as('isFinished'))
    .select((eb) => eb('turnId', 'is', null).$castTo<boolean>().as('isGiven'))
    .where('actionId', 'is', null)
    .where(condition)
    .orderBy('messageIndex', 'desc')
    .limit(given.count)
    .compile();

const latestOnBranch = statement((q, given: Latest) => latestWhere(q, given, sql`on_branch`));
const latestOf = statement((q, given: Latest) =>
  latestWhere(
    q,
    given,
    sql`case when ${given.path}::bigint[] is null then on_branch
      else message_index = any(${given.path}::bigint[]) end
      and (${given.before}::bigint is null or message_index < ${given.before}::bigint)`,
  ),
);

/**
 * The latest `count` messages of the branch that goes on, or those before `before`, or of `path`; oldest first, without
 * receipts.
 */
export async function latestText(
  q: Queries,
  caller: Caller,
  conversationId: string,
  {
    count,
    before,
    path = null,
  }: { count: number; before?: number | undefined; path?: readonly number[] | null },
): Promise<Texts[]> {
  const { tenantId, principalId } = caller;
  const latest = path === null && before === undefined ? latestOnBranch : latestOf;
  const rows = await latest(q, {
    tenantId,
    principalId,
    conversationId,
    count,
    path,
    before: before === undefined ? null : String(before),
  });
  return rows.toReversed();
}

const EDGE = /^[ \t\r\n]+|[ \t\r\n]+$/g;
/** Clients drop blanks around a text. The index svc_message_said has the same expression. */
export const keyOf = (text: string): string => hash('md5', storable(text).replaceAll(EDGE, ''));
/** Of an answer that is in no conversation (src/agentic/session/handle.ts). */
export const textHandle = (text: string): string => `said:${keyOf(text)}`;
export const textKey = sql<string>`md5(btrim(content ->> 'text', E' \\t\\r\\n'))`;

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
    .select(['conversationId', textKey.as('key')])
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('role', '=', 'assistant')
    .where(textKey, '=', sql<string>`any(${[...new Set(texts.map(keyOf))]})`)
    .orderBy('id', 'desc')
    .limit(MAX_LISTED)
    .execute();
  const [rows, handles] = await Promise.all([
    messages,
    handlesFound(app, q, caller, texts.map(textHandle)),
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
      const found = byKey.get(textHandle(text))?.map(({ conversationId }) => conversationId);
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
