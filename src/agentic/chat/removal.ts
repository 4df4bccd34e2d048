import type { z } from 'zod';

import { inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { NotFound } from '../../kernel/errors.ts';
import { forgetAttachments } from '../attachment/attachment.ts';
import { removeStored } from '../attachment/file.ts';
import { forgetMemory } from '../session/past-turns.ts';
import { type ByConversationId, lockSession } from '../session/session.ts';
import { forgetRecordings } from './answer/recording.ts';
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
    const [filePaths] = await Promise.all([
      forgetAttachments(q, caller, conversationId),
      q
        .updateTable('svc_action')
        .set({ told: true })
        .where('tenantId', '=', tenantId)
        .where('userId', '=', userId)
        .where('conversationId', '=', conversationId)
        .where('told', '=', false)
        .execute(),
      forgetMemory(q, caller, conversationId),
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
  });
  forgetOrder(app, caller, conversationId);
  forgetRecordings(app, caller, conversationId);
  await removeStored(app, files);
  return true;
};
