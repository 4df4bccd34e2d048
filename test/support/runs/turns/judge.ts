import { actionsOf, viewOf } from '../../../../src/agentic/action/view.ts';
import { withoutFacts } from '../../../../src/agentic/session/facts.ts';
import { Content } from '../../../../src/agentic/session/message-content.ts';
import { MESSAGE_STATUS } from '../../../../src/agentic/session/message.ts';
import { inTenant } from '../../../../src/db/tenant.ts';
import type { World } from '../../world/app.ts';
import type { Heard } from './client.ts';
import { LIE, wishIn } from './vendor.ts';

/** What follows every answer, also one that claims what did not happen. */
const FACTS = /\n> proposed \d+ · written 0 · read \d+ values?[^\n]*\n$/;

/** A turn that was asked for, and what its person heard of it. */
export type Asked = { wish: number; value: string; conversationId: string | null; heard: Heard };

type Stored = {
  actions: { actionId: string; proposedValue: string; conversationId: string }[];
  messages: {
    conversationId: string;
    index: number;
    parent: number;
    role: string;
    isWhole: boolean;
    content: Content;
  }[];
};

/** Proposals that are pending, and the messages of these conversations and of those of the proposals. */
export async function stored(
  { app, admin }: Pick<World, 'app' | 'admin'>,
  asked: readonly Asked[],
): Promise<Stored> {
  const { tenantId } = admin;
  return inTenant(app.db, tenantId, async (q) => {
    const rows = await actionsOf(q, tenantId).execute();
    const now = app.clock.now();
    const actions = rows
      .map((row) => viewOf(row, now))
      .filter(({ proposedValue }) => asked.some(({ value }) => same(value, proposedValue)));
    const ids = new Set([
      ...asked.flatMap(({ conversationId }) => conversationId ?? []),
      ...actions.map(({ conversationId }) => conversationId),
    ]);
    const messages = await q
      .selectFrom('svc_message')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('conversationId', 'in', [...ids, ''])
      .orderBy('messageIndex')
      .execute();
    return {
      actions,
      messages: messages.map((row) => ({
        conversationId: row.conversationId,
        index: Number(row.messageIndex),
        parent: Number(row.parentIndex),
        role: row.role,
        isWhole: row.status === MESSAGE_STATUS.OK,
        content: Content.parse(row.content),
      })),
    };
  });
}

const same = (one: string, other: string): boolean => Number(one) === Number(other);

/** Whether every stored question has its answer by now. */
export const isQuiet = ({ messages }: Stored): boolean => questionsWithout(messages).length === 0;

const questionsWithout = (messages: Stored['messages']) =>
  messages.filter(
    ({ role, conversationId, index }) =>
      role === 'user' &&
      !messages.some(
        (one) =>
          one.conversationId === conversationId && one.parent === index && one.role !== 'user',
      ),
  );

/** What is wrong with these turns. */
export function wrongWith(asked: readonly Asked[], { actions, messages }: Stored): string[] {
  const wrong: string[] = [];
  for (const { actionId, proposedValue } of actions) {
    const wish = asked.filter(({ value }) => same(value, proposedValue));
    const isHeard = wish.some(({ heard }) => heard.wire.includes(actionId));
    const isKept = messages.some(({ content }) => content.actions.includes(actionId));
    if (!isHeard && !isKept) wrong.push(`the proposal ${actionId} is shown nowhere`);
  }
  for (const { wish, value, heard, conversationId } of asked) {
    const own = actions.filter(({ proposedValue }) => same(value, proposedValue));
    if (own.length > 1) wrong.push(`wish ${wish} has ${own.length} proposals`);
    if (heard.end !== 'whole') continue;
    if (isLie(heard.text)) wrong.push(`wish ${wish} was told as done: ${heard.text}`);
    if (conversationId === null) continue;
    const kept = messages.filter(
      (one) =>
        one.conversationId === conversationId &&
        one.isWhole &&
        one.content.text.trimEnd() === withoutFacts(heard.text),
    );
    if (kept.length === 0) wrong.push(`wish ${wish}: its answer is not stored: ${heard.text}`);
  }
  for (const { content, role } of messages)
    if (role === 'assistant' && content.text.includes(LIE) && content.facts?.written !== 0)
      wrong.push(`a stored answer says done: ${content.text}`);
  for (const { conversationId, content } of questionsWithout(messages))
    wrong.push(`a question of ${conversationId} has no answer: wish ${wishIn(content.text)}`);
  return wrong;
}

const isLie = (text: string): boolean => text.includes(LIE) && !FACTS.test(text);
