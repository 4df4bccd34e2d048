import { sql } from 'kysely';
import type { z } from 'zod';

import { isHeld } from '../../data/retention/hold.ts';
import type { OldRecords } from '../../data/retention/records.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { NotFound } from '../../kernel/errors.ts';
import { forgetAttachments } from '../attachment/attachment.ts';
import { removeStored } from '../attachment/file.ts';
import { type ByConversationId, lockSession } from '../session/session.ts';
import { forgetRecordings } from './answer/recording/recording.ts';
import { forgetMemory } from './branch/past-turns.ts';
import { forgetOrder } from './order.ts';

/**
 * Deletes the conversation with its messages, memory and attachments. Its actions stay as records of device
 * writes; they are marked, so that a later conversation with the same id gets no receipts of them.
 */
export const remove: Operation<z.output<typeof ByConversationId>, true> = async (
  app,
  caller,
  { conversationId },
) => {
  const { tenantId, principalId: userId } = caller;
  const files = await inTenant(app.db, tenantId, async (q) => {
    // Waits for a turn or receipt that is being written, which would leave rows behind.
    const isThere = await lockSession(q, { tenantId, userId, conversationId });
    if (!isThere) throw new NotFound('Session');
    return removeRows(q, caller, conversationId);
  });
  await forgetRecordings(app, caller, conversationId);
  await forgetRest(app, { of: caller, conversationId, files });
  return true;
};

type Of = Pick<Caller, 'tenantId' | 'principalId'>;

/** Answers the paths of the files that go with it. */
async function removeRows(q: Queries, of: Of, conversationId: string): Promise<string[]> {
  const { tenantId, principalId: userId } = of;
  const [filePaths] = await Promise.all([
    forgetAttachments(q, of, conversationId),
    q
      .updateTable('svc_action')
      .set({ told: true })
      .where('tenantId', '=', tenantId)
      .where('userId', '=', userId)
      .where('conversationId', '=', conversationId)
      .where('told', '=', false)
      .execute(),
    forgetMemory(q, of, conversationId),
    ...(['svc_message', 'svc_chat_handle', 'svc_session'] as const).map((table) =>
      q
        .deleteFrom(table)
        .where('tenantId', '=', tenantId)
        .where('userId', '=', userId)
        .where('conversationId', '=', conversationId)
        .execute(),
    ),
  ]);
  return filePaths;
}

type Removed = { of: Of; conversationId: string; files: readonly string[] };

async function forgetRest(app: App, { of, conversationId, files }: Removed): Promise<void> {
  forgetOrder(app, of, conversationId);
  await removeStored(app, files);
}

/** Conversations by their last message; a hold keeps them where it is of all devices. */
export const oldConversations: OldRecords = {
  days: 'conversationDays',
  most: 20,
  async remove(q, { tenantId, before, most }) {
    // Not one in which a turn or receipt is being written.
    const { rows } = await sql<{ userId: string; conversationId: string }>`
      select s.user_id, s.conversation_id from svc_session s
      where s.tenant_id = ${tenantId} and s.operate_time < ${before}
        and not ${isHeld(tenantId, { device: sql`0`, from: sql`s.create_time`, to: sql`s.operate_time` })}
      order by s.operate_time limit ${most} for update of s skip locked`.execute(q);
    const removed: Removed[] = [];
    for (const { userId: principalId, conversationId } of rows) {
      const of = { tenantId, principalId };
      removed.push({ of, conversationId, files: await removeRows(q, of, conversationId) });
    }
    return {
      count: removed.length,
      async committed(app) {
        for (const each of removed) await forgetRest(app, each);
      },
    };
  },
};
