import type { Queries } from '../../db/connect.ts';
import type { Caller } from '../../kernel/app/app.ts';
import type { ActionRow } from './view.ts';

/**
 * Gives a repeated proposal to the conversation that repeats it, if its own was never stored: the process ended in between.
 * The deletion of a conversation sets `told`: its proposal stays without one.
 */
export async function joinConversation(
  q: Queries,
  { tenantId, principalId }: Caller,
  { actionId, conversationId: own, told }: ActionRow,
  conversationId: string,
): Promise<void> {
  if (told || conversationId === '' || conversationId === own) return;
  await q
    .updateTable('svc_action')
    .set({ conversationId })
    .where('tenantId', '=', tenantId)
    .where('actionId', '=', actionId)
    .where('told', '=', false)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('svc_session')
            .select('svc_session.id')
            .where('svc_session.tenantId', '=', tenantId)
            .where('svc_session.userId', '=', principalId)
            .where('svc_session.conversationId', '=', own),
        ),
      ),
    )
    .execute();
}
