import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { startSweeper } from '../../kernel/app/sweeper.ts';
import { append } from './message.ts';
import { lockSession } from './session.ts';

const EVERY_MS = 30_000;
/** A turn ends after two minutes, and then its last tool; as much later as the limits of its provider are. */
const LONGEST_TURN_MS = 150_000;
const BATCH = 500;
/** Messages before the newest one that are looked at after a start. */
const LOOKED_BACK = 10_000;

type Lost = Record<'tenantId' | 'userId' | 'conversationId', string>;

/**
 * Stores an unfinished answer, with the proposals that were made, for each question of a process that ended before it stored
 * one. Looks at each question once, when its turn must have ended; `stop` waits for a run that is under way.
 */
export function startLostTurnSweeper(app: App): { stop(): Promise<void> } {
  let mark: string | null = null;
  const run = async (): Promise<void> => {
    const found = await acrossTenants(app.db, 'sweeper', async (q) => {
      const before = new Date(app.clock.now() - (await longestTurnMs(app, q, null)));
      return lostSince(q, mark, before);
    });
    for (const lost of found.lost)
      await endLostTurn(
        app,
        { tenantId: lost.tenantId, principalId: lost.userId },
        lost.conversationId,
      );
    mark = found.mark;
  };
  return startSweeper(app, { everyMs: EVERY_MS, failed: 'lost answers not ended, retrying' }, run);
}

/** How long a turn of this tenant can take, in ms, also with the operator's model; null: of any tenant. */
export async function longestTurnMs(
  { config }: Pick<App, 'config'>,
  q: Queries,
  tenantId: string | null,
): Promise<number> {
  const { rows } = await sql<{ patience: number }>`
    select coalesce(max(greatest((timeouts ->> 'firstTokenMs')::int, (timeouts ->> 'idleMs')::int,
      (timeouts ->> 'totalMs')::int)), 0)::int as patience
    from svc_model_provider where ${tenantId}::bigint is null or tenant_id = ${tenantId}`.execute(
    q,
  );
  const { idleMs } = config.agentic.fallback;
  return LONGEST_TURN_MS + Math.max(rows[0]?.patience ?? 0, idleMs ?? 0);
}

/** Conversations that end with a question from before `before`, among the messages after `mark`. */
async function lostSince(q: Queries, mark: string | null, before: Date) {
  const { rows } = await sql<Lost & { id: string; isLost: boolean }>`
    select m.id, m.tenant_id, m.user_id, m.conversation_id,
      m.on_branch and not exists (
        select from svc_message later
        where later.tenant_id = m.tenant_id and later.user_id = m.user_id
          and later.conversation_id = m.conversation_id and later.on_branch
          and later.message_index > m.message_index and later.action_id is null) as is_lost
    from svc_message m
    where m.id > ${mark ?? sql`(select coalesce(max(id), 0) - ${LOOKED_BACK} from svc_message)`}
      and m.create_time < ${before} and m.role = 'user' and m.turn_id is not null
    order by m.id limit ${BATCH}`.execute(q);
  return { mark: rows.at(-1)?.id ?? mark, lost: rows.filter(({ isLost }) => isLost) };
}

/**
 * Ends the last turn of a conversation where it has a question only: an unfinished answer without text, that has the
 * proposals made since. A turn that still runs in another process stores its answer after it.
 */
export const endLostTurn = (
  app: App,
  { tenantId, principalId }: Pick<Caller, 'tenantId' | 'principalId'>,
  conversationId: string,
): Promise<void> =>
  inTenant(app.db, tenantId, async (q) => {
    if (!(await lockSession(q, { tenantId, userId: principalId, conversationId }))) return;
    const last = await q
      .selectFrom('svc_message')
      .select(['role', 'createTime', 'turnId'])
      .where('tenantId', '=', tenantId)
      .where('userId', '=', principalId)
      .where('conversationId', '=', conversationId)
      .where('onBranch', '=', true)
      .where('actionId', 'is', null)
      .orderBy('messageIndex', 'desc')
      .limit(1)
      .executeTakeFirst();
    // Messages that a client stored wait for no answer.
    if (last?.role !== 'user' || last.turnId === null) return;
    const made = await q
      .selectFrom('svc_action')
      .select('actionId')
      .where('tenantId', '=', tenantId)
      .where('userId', '=', principalId)
      .where('conversationId', '=', conversationId)
      .where('createTime', '>=', last.createTime)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    await append(app, q, { tenantId, principalId }, conversationId, {
      role: 'assistant',
      content: { text: '', tools: [], actions: made.map(({ actionId }) => actionId) },
      model: '',
      isFinished: false,
    });
  });
