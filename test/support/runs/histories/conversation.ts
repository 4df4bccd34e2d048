import { z } from 'zod';

import { systemPrompt } from '../../../../src/agentic/chat/turn/compose.ts';
import { actionsInConversation } from '../../../../src/agentic/decision/conversation.ts';
import { noteEvidence } from '../../../../src/agentic/decision/evidence.ts';
import { notifyAllOutcomes } from '../../../../src/agentic/decision/notice.ts';
import { inTenant } from '../../../../src/db/tenant.ts';
import type { Caller } from '../../../../src/kernel/app/app.ts';
import type { Session } from '../../people/session.ts';
import type { World } from '../../world/app.ts';
import { fresh } from '../../world/fresh-name.ts';

const Receipt = z.object({ actionId: z.string(), status: z.string(), say: z.string() });
const Messages = z.array(z.object({ contentExt: z.looseObject({ receipt: Receipt.optional() }) }));
type Said = z.output<typeof Receipt>;

/** How the rules of a chat begin a line about an action. */
const LINE = /^- action (\S+) is ([A-Z_]+): (.*)$/gm;

/** A conversation in which agents propose, and what is said of their actions there. */
export async function openConversation({ app }: World, session: Session, agent: Caller) {
  const { tenantId, principalId: userId } = session;
  const conversationId = fresh('history');
  await inTenant(app.db, tenantId, (q) =>
    q.insertInto('svc_session').values({ conversationId, tenantId, userId }).execute(),
  );
  return {
    conversationId,

    /** What a model is given with its next turn. */
    async prompt(): Promise<Said[]> {
      const { latest } = await inTenant(app.db, tenantId, (q) =>
        actionsInConversation(app, q, agent, conversationId),
      );
      return systemPrompt(true, latest)
        .matchAll(LINE)
        .map(([, actionId = '', status = '', say = '']) => ({ actionId, status, say }))
        .toArray();
    },

    /** The newest notice about each action that has ended. */
    async notices(): Promise<Said[]> {
      await noteEvidence(app);
      await notifyAllOutcomes(app);
      const query = { conversation_id: conversationId };
      const list = await session.data('/api/v3/agentic/message/list', undefined, query);
      const receipts = Messages.parse(list).flatMap(({ contentExt: { receipt } }) => receipt ?? []);
      return [...new Map(receipts.map((one) => [one.actionId, one])).values()];
    },
  };
}
