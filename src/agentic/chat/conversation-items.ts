import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { AppError, BadRequest } from '../../kernel/errors.ts';
import { storable, Text } from '../../kernel/input/text.ts';
import { flatAnnotationOf } from '../session/citation.ts';
import { withoutFacts } from '../session/facts.ts';
import { Content } from '../session/message-content.ts';
import { append, MESSAGE_STATUS, ROLES } from '../session/message.ts';
import { ConversationId, lockSession } from '../session/session.ts';
import { messageIdOf, responseOf, turnIdOf } from './answer/response-state.ts';
import { OutputText } from './answer/response.ts';
import { Item } from './request/items.ts';
import { noteResent } from './turn/brought.ts';

const MAX_ADDED = 20;
const MAX_TEXTS = 1_000_000;

const InputText = z.object({ type: z.literal('input_text'), text: z.string() });
/** A message of a conversation as clients of OpenAI read it. */
export const ConversationItem = z
  .object({
    id: z.string().meta({ examples: ['msg_5f0c9a7d1e2b3a4c5d6e7f80'] }),
    type: z.literal('message'),
    role: z.enum(ROLES),
    status: z.enum(['completed', 'incomplete']),
    content: z.array(z.discriminatedUnion('type', [InputText, OutputText])),
  })
  .meta({ id: 'ConversationItem' });
type ConversationItem = z.output<typeof ConversationItem>;

/** A page of the messages of a conversation. */
export const ConversationItems = z
  .object({
    object: z.literal('list'),
    data: z.array(ConversationItem),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'ConversationItems' });
type ConversationItems = z.output<typeof ConversationItems>;

const ItemId = Text(128).min(1);
export const Page = z.object({
  id: ConversationId,
  after: ItemId.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
});
export const ItemById = z.object({ id: ConversationId, item: ItemId });
/** Items to store, as those of the input of a response. */
export const GivenItems = z.array(Item).max(MAX_ADDED);
export const Add = z.object({ id: ConversationId, items: GivenItems });

/** GET /conversations/{id}/items: messages of the branch that goes on, the latest first unless `order` is asc. Throws 404. */
export const conversationItems = (
  app: App,
  caller: Caller,
  { id, after, limit, order }: z.output<typeof Page>,
): Promise<ConversationItems> =>
  inTenant(app.db, caller.tenantId, async (q) => {
    await demandConversation(q, caller, id);
    const from = after === undefined ? null : await messageOf(q, caller, id, after);
    if (from === undefined) throw noItem('after');
    const rows = await messages(q, caller, id)
      .$if(from !== null, (query) =>
        query.where('messageIndex', order === 'asc' ? '>' : '<', from?.messageIndex ?? '0'),
      )
      .orderBy('messageIndex', order)
      .limit(limit + 1)
      .execute();
    return listOf(rows.slice(0, limit).map(itemOf), rows.length > limit);
  });

/** GET /conversations/{id}/items/{item}. Throws 404. */
export const conversationItem = (
  app: App,
  caller: Caller,
  { id, item }: z.output<typeof ItemById>,
): Promise<ConversationItem> =>
  inTenant(app.db, caller.tenantId, async (q) => {
    await demandConversation(q, caller, id);
    const row = await messageOf(q, caller, id, item);
    if (!row) throw noItem('item_id');
    return itemOf(row);
  });

/** POST /conversations/{id}/items: messages at the end of the branch that goes on; answers them. Throws 404. */
export async function addItems(
  app: App,
  caller: Caller,
  { id, items }: z.output<typeof Add>,
): Promise<ConversationItems> {
  const given = messagesIn(items);
  await noteGiven(app, caller, id, given);
  const added = await inTenant(app.db, caller.tenantId, async (q) => {
    const { tenantId, principalId: userId } = caller;
    if (!(await lockSession(q, { tenantId, userId, conversationId: id }))) throw noConversation(id);
    const indexes = await addMessages(app, q, caller, id, given);
    return messages(q, caller, id)
      .where('messageIndex', 'in', indexes.length === 0 ? ['0'] : indexes)
      .orderBy('messageIndex')
      .execute();
  });
  return listOf(added.map(itemOf), false);
}

export const noConversation = (id: string): AppError =>
  new AppError(404, 'conversation_not_found', `There is no conversation ${JSON.stringify(id)}`, {
    detail: { param: 'conversation_id' },
  });

const noItem = (param: string): AppError =>
  new AppError(404, 'item_not_found', 'The conversation has no item of this id', {
    detail: { param },
  });

/** Refused by name: a branch has each message once, and those after it belong to it. */
export const itemsStay = (): never => {
  throw new BadRequest(
    'Items of a conversation are not deleted one by one: go on from an earlier response, or delete the conversation',
    { param: 'item_id' },
  );
};

type Given = { role: (typeof ROLES)[number]; text: string };

/** The messages of these items; of reasoning the platform stores none. Throws BadRequest for what is of a request. */
export function messagesIn(items: readonly Item[]): Given[] {
  const given = items.flatMap((item): Given[] => {
    if (item.type === 'reasoning') return [];
    if (item.type !== 'message' || (item.role !== 'user' && item.role !== 'assistant'))
      throw ofRequest(item.type === 'message' ? `messages of the role ${item.role}` : item.type);
    const { role, content } = item;
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const texts = parts.map((part) => {
      if (!('text' in part)) throw ofRequest(part.type);
      return part.text;
    });
    const text = storable(texts.join('\n'));
    if (text.trim() === '') throw new BadRequest('a message must have a text', PARAM);
    return [{ role, text: role === 'assistant' ? withoutFacts(text) : text }];
  });
  if (given.reduce((sum, { text }) => sum + text.length, 0) > MAX_TEXTS)
    throw new BadRequest(`items may have ${MAX_TEXTS} characters together`, PARAM);
  return given;
}

const PARAM = { param: 'items' };

const ofRequest = (what: string): BadRequest =>
  new BadRequest(
    `a conversation stores texts of the user and of the assistant; ${what} is for the input of a response`,
    PARAM,
  );

/** What the platform did not answer itself may be the words of anyone, as in messages that a client resends. */
export const noteGiven = (
  app: App,
  caller: Caller,
  conversationId: string,
  given: readonly Given[],
): Promise<void> => {
  const answers = given.filter(({ role }) => role === 'assistant').map(({ text }) => text);
  return noteResent(app, caller, { conversationId, answers, conversations: [] });
};

/** Appends messages to a conversation that this transaction has locked; answers their indexes. */
export async function addMessages(
  app: App,
  q: Queries,
  caller: Caller,
  conversationId: string,
  given: readonly Given[],
): Promise<string[]> {
  const indexes: string[] = [];
  for (const { role, text } of given) {
    const content = { text, tools: [], actions: [] };
    const message = { role, content, model: '', isFinished: true };
    const index = await append(app, q, caller, conversationId, message);
    if (index !== null) indexes.push(index);
  }
  return indexes;
}

async function demandConversation(q: Queries, caller: Caller, id: string): Promise<void> {
  const row = await q
    .selectFrom('svc_session')
    .select('id')
    .where('tenantId', '=', caller.tenantId)
    .where('userId', '=', caller.principalId)
    .where('conversationId', '=', id)
    .executeTakeFirst();
  if (!row) throw noConversation(id);
}

/** Of the branch that goes on. */
const messages = (q: Queries, { tenantId, principalId }: Caller, conversationId: string) =>
  q
    .selectFrom('svc_message')
    .select(['messageIndex', 'role', 'content', 'status', 'turnId', 'actionId'])
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('conversationId', '=', conversationId)
    .where('onBranch', '=', true);
type Row = Awaited<ReturnType<ReturnType<typeof messages>['execute']>>[number];

const BY_INDEX = /^item_(\d{1,15})$/;

/** The id of an answer is that in its response; the others have their place in the conversation. */
function idOf({ role, turnId, actionId, messageIndex }: Row): string {
  const answer = role === 'assistant' && actionId === null ? messageIdOf(turnId ?? '') : null;
  return answer ?? `item_${messageIndex}`;
}

function messageOf(q: Queries, caller: Caller, id: string, item: string): Promise<Row | undefined> {
  const index = BY_INDEX.exec(item)?.[1];
  const all = messages(q, caller, id);
  const one =
    index === undefined
      ? all
          .where('turnId', '=', turnIdOf(responseOf(item)))
          .where('role', '=', 'assistant')
          .where('actionId', 'is', null)
      : all.where('messageIndex', '=', index);
  return one.executeTakeFirst();
}

function itemOf(row: Row): ConversationItem {
  const { text, citations = [] } = Content.parse(row.content);
  const annotations = citations.map(flatAnnotationOf);
  return {
    id: idOf(row),
    type: 'message',
    role: row.role,
    status: row.status === MESSAGE_STATUS.OK ? 'completed' : 'incomplete',
    content: [
      row.role === 'user'
        ? { type: 'input_text', text }
        : { type: 'output_text', text, annotations, logprobs: [] },
    ],
  };
}

const listOf = (data: ConversationItem[], has_more: boolean): ConversationItems => ({
  object: 'list',
  data,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more,
});
