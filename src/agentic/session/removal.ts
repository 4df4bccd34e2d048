import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { inTenant } from '../../db/tenant.ts';
import { forgetAttachments } from '../attachment/attachment.ts';
import { removeKept } from '../attachment/file.ts';
import { forgetMemory } from '../chat/past-turns.ts';
import { type ByConversationId, lockSession, requireSession } from './session.ts';

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
    await requireSession(q, caller, conversationId);
    // Waits for a turn or receipt that is being written, which would leave rows behind.
    await lockSession(q, { tenantId, userId, conversationId });
    await q
      .updateTable('svc_action')
      .set({ told: true })
      .where('tenantId', '=', tenantId)
      .where('userId', '=', userId)
      .where('conversationId', '=', conversationId)
      .where('told', '=', false)
      .execute();
    await forgetMemory(q, caller, conversationId);
    for (const table of ['svc_message', 'svc_session'] as const) {
      await q
        .deleteFrom(table)
        .where('tenantId', '=', tenantId)
        .where('userId', '=', userId)
        .where('conversationId', '=', conversationId)
        .execute();
    }
    return forgetAttachments(q, caller, conversationId);
  });
  await removeKept(app, files);
  return true;
};
