import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../../db/connect.ts';
import { inOneTrip, inTenant } from '../../../db/tenant.ts';
import type { App, Caller, Operation } from '../../../kernel/app/app.ts';
import { NotFound, Unprocessable } from '../../../kernel/errors.ts';
import { input } from '../../../kernel/input/input.ts';
import { Content } from '../../session/message-content.ts';
import { ConversationId, lockSession } from '../../session/session.ts';
import { pathThrough, treeOf } from '../../session/tree.ts';
import { follow } from './path.ts';

/** Messages that are looked through for proposals when their branch is left. */
const MAX_LEFT = 500;

/** Where a turn leaves what was said: another wording of the question, or another answer to it. */
export type Branch = { at: number; how: 'edit' | 'regenerate' };

/** A question of the branch that goes on; throws NotFound, and Unprocessable for any other message. */
export async function requireQuestion(
  q: Queries,
  { tenantId, principalId }: Caller,
  conversationId: string,
  { at }: Branch,
): Promise<Content> {
  const row = await q
    .selectFrom('svc_message')
    .select(['role', 'content', 'onBranch'])
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('conversationId', '=', conversationId)
    .where('messageIndex', '=', String(at))
    .executeTakeFirst();
  if (!row) throw new NotFound('Message');
  if (row.role !== 'user' || !row.onBranch)
    throw new Unprocessable(
      'Only a question of the present branch can be edited or answered again',
    );
  return Content.parse(row.content);
}

/** Takes the messages from `from` on off the branch that goes on; the session is locked. */
export const leaveFrom = (
  q: Queries,
  { tenantId, principalId }: Caller,
  conversationId: string,
  from: number,
) =>
  q
    .updateTable('svc_message')
    .set({ onBranch: false })
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('conversationId', '=', conversationId)
    .where('messageIndex', '>=', String(from))
    .where('onBranch', '=', true)
    .execute();

/** Proposals made in the messages from `from` on of the branch that goes on, or in these messages. */
export const proposalsFrom = (
  app: App,
  { tenantId, principalId }: Caller,
  conversationId: string,
  from: number | readonly number[],
): Promise<string[]> =>
  inOneTrip(app.db, tenantId, async (q) => {
    const messages = q
      .selectFrom('svc_message')
      .select('content')
      .where('tenantId', '=', tenantId)
      .where('userId', '=', principalId)
      .where('conversationId', '=', conversationId)
      .orderBy('messageIndex', 'desc')
      .limit(MAX_LEFT);
    const rows = await (
      typeof from === 'number'
        ? messages.where('messageIndex', '>=', String(from)).where('onBranch', '=', true)
        : messages.where('messageIndex', '=', sql<string>`any(${[...from]}::bigint[])`)
    ).execute();
    return rows.flatMap(({ content }) => Content.parse(content).actions);
  });

export const SelectBranch = input({
  conversationId: ConversationId,
  messageIndex: z
    .number()
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .meta({ examples: [3] }),
});

/** Goes on with the branch through this message; throws NotFound. */
export const select: Operation<z.output<typeof SelectBranch>, true> = async (
  app,
  caller,
  { conversationId, messageIndex },
) => {
  const { tenantId, principalId: userId } = caller;
  await inTenant(app.db, tenantId, async (q) => {
    if (!(await lockSession(q, { tenantId, userId, conversationId })))
      throw new NotFound('Session');
    const path = pathThrough(await treeOf(q, caller, conversationId), messageIndex);
    if (path.length === 0) throw new NotFound('Message');
    await follow(q, caller, conversationId, { indexes: path, isOther: true });
  });
  return true;
};
