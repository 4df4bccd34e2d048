import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { statement } from '../../db/statement.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { isEnd, statusNow } from '../action/kind/status.ts';
import { actionsOf, type ActionView, viewOf } from '../action/view.ts';
import type { UnsentOutcome } from './notice.ts';

const MAX_LATEST = 10;
const MAX_UNTOLD = 200;

/** Actions of a conversation, for its next turn. */
export type ConversationActions = {
  /** The latest of this conversation in their present state, oldest first. */
  latest: ActionView[];
  /** Ended ones without a receipt, also ends that the sweeper has not stored yet. */
  untold: UnsentOutcome[];
};

type Which = { tenantId: string; userId: string; conversationId: string };

/** Those without a receipt first, the oldest of them first; then the others, the latest first. */
const rowsOf = statement((q, { tenantId, userId, conversationId }: Which) =>
  actionsOf(q, tenantId)
    // Actions outlive a deleted conversation, and its id may be used again.
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('svc_session')
          .select('svc_session.id')
          .where('svc_session.tenantId', '=', tenantId)
          .where('svc_session.userId', '=', userId)
          .where('svc_session.conversationId', '=', conversationId)
          .whereRef('svc_session.createTime', '<=', 'svc_action.createTime'),
      )
        .$castTo<boolean>()
        .as('isOfSession'),
    )
    .where('svc_action.userId', '=', userId)
    .where('svc_action.conversationId', '=', conversationId)
    .orderBy('svc_action.told')
    .orderBy(sql`case when svc_action.told then -svc_action.id else svc_action.id end`)
    .limit(sql.lit(MAX_UNTOLD + MAX_LATEST))
    .compile(),
);

/** The actions that a turn of this conversation has to know, in one statement. */
export async function actionsInConversation(
  app: App,
  q: Queries,
  { tenantId, principalId: userId }: Caller,
  conversationId: string,
): Promise<ConversationActions> {
  const rows = await rowsOf(q, { tenantId, userId, conversationId });
  const now = app.clock.now();
  const byId = rows.toSorted((a, b) => Number(BigInt(a.id) - BigInt(b.id)));
  return {
    latest: byId
      .filter(({ isOfSession }) => isOfSession)
      .slice(-MAX_LATEST)
      .map((row) => viewOf(row, now)),
    untold: byId
      .filter((row) => !row.told && isEnd(statusNow(row, now)))
      .map(({ actionId }) => ({ tenantId, userId, conversationId, actionId })),
  };
}
