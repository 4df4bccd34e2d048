import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { storable } from '../../kernel/input/text.ts';

/** Of one user; the oldest go. */
const MAX_STATES = 200;
const MAX_FOUND = 500;
const BATCH = 1_000;

/** Something that a client can come back with, without the id of the conversation that it belongs to. */
export type NewHandle = {
  handle: string;
  conversationId: string;
  /** What is needed to go on; left out: the conversation alone. */
  state?: unknown;
  keptMs: number;
};

/** Stores a handle of the caller; the same handle of the same conversation is renewed. */
export async function keepHandle(
  app: App,
  q: Queries,
  { tenantId, principalId: userId }: Caller,
  { handle, conversationId, state, keptMs }: NewHandle,
): Promise<void> {
  const now = app.clock.now();
  const text =
    state === undefined
      ? null
      : JSON.stringify(state, (_, value: unknown) =>
          typeof value === 'string' ? storable(value) : value,
        );
  const kept = { state: text, createTime: new Date(now), expireTime: new Date(now + keptMs) };
  await Promise.all([
    q
      .insertInto('svc_chat_handle')
      .values({ tenantId, userId, handle, conversationId, ...kept })
      .onConflict((conflict) =>
        conflict.columns(['tenantId', 'userId', 'handle', 'conversationId']).doUpdateSet(kept),
      )
      .execute(),
    ...(text === null
      ? []
      : [
          sql`
      delete from svc_chat_handle
      where tenant_id = ${tenantId} and user_id = ${userId} and handle in (
        select handle from svc_chat_handle
        where tenant_id = ${tenantId} and user_id = ${userId} and state is not null
        order by create_time desc offset ${MAX_STATES})`.execute(q),
        ]),
  ]);
}

export type Handle = { handle: string; conversationId: string; state: unknown };

/** Those of `handles` that are the caller's and have not expired, the latest first. */
export async function handlesFound(
  app: App,
  q: Queries,
  { tenantId, principalId }: Pick<Caller, 'tenantId' | 'principalId'>,
  handles: readonly string[],
): Promise<Handle[]> {
  if (handles.length === 0) return [];
  return q
    .selectFrom('svc_chat_handle')
    .select(['handle', 'conversationId', 'state'])
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('handle', '=', sql<string>`any(${[...new Set(handles)]})`)
    .where('expireTime', '>', new Date(app.clock.now()))
    .orderBy('createTime', 'desc')
    .limit(MAX_FOUND)
    .execute();
}

/** Deletes what expired before `now` (ms since the epoch), at most BATCH. */
export async function dropHandles(q: Queries, now: number): Promise<void> {
  await q
    .deleteFrom('svc_chat_handle')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('tenantId', 'userId', 'handle', 'conversationId'),
        'in',
        selectFrom('svc_chat_handle as old')
          .select(['old.tenantId', 'old.userId', 'old.handle', 'old.conversationId'])
          .where('old.expireTime', '<=', new Date(now))
          .limit(BATCH)
          .$asTuple('tenantId', 'userId', 'handle', 'conversationId'),
      ),
    )
    .execute();
}
