import { type RawBuilder, sql } from 'kysely';

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
  /** It is changed where it is, and not made again where it was deleted. */
  isKnown?: boolean;
};

/** Stores a handle of the caller; the same handle of the same conversation is renewed. */
export async function keepHandle(
  app: App,
  q: Queries,
  { tenantId, principalId: userId }: Caller,
  { handle, conversationId, state, keptMs, isKnown = false }: NewHandle,
): Promise<void> {
  const now = app.clock.now();
  const text =
    state === undefined
      ? null
      : JSON.stringify(state, (_, value: unknown) =>
          typeof value === 'string' ? storable(value) : value,
        );
  const kept = { state: text, createTime: new Date(now), expireTime: new Date(now + keptMs) };
  if (isKnown) {
    await q
      .updateTable('svc_chat_handle')
      .set(kept)
      .where('tenantId', '=', tenantId)
      .where('userId', '=', userId)
      .where('handle', '=', handle)
      .where('conversationId', '=', conversationId)
      .execute();
    return;
  }
  await Promise.all([
    q
      .insertInto('svc_chat_handle')
      .values({ tenantId, userId, handle, conversationId, ...kept })
      .onConflict((conflict) =>
        conflict.columns(['tenantId', 'userId', 'handle', 'conversationId']).doUpdateSet(kept),
      )
      .execute(),
    ...(text === null ? [] : [forgetStates(q, { tenantId, userId }, handle)]),
  ]);
}

/**
 * Of states as many are stored as MAX_STATES, those of responses apart: an older response can still be continued, and is
 * read no more.
 */
async function forgetStates(
  q: Queries,
  { tenantId, userId }: { tenantId: string; userId: string },
  handle: string,
): Promise<void> {
  const isResponse = sql`starts_with(handle, 'resp:')`;
  const ofKind = (kind: RawBuilder<unknown>) => sql`
    where tenant_id = ${tenantId} and user_id = ${userId} and handle in (
      select handle from svc_chat_handle
      where tenant_id = ${tenantId} and user_id = ${userId} and state is not null and ${kind}
      order by create_time desc offset ${MAX_STATES})`;
  await (
    handle.startsWith('resp:')
      ? sql`update svc_chat_handle set state = null ${ofKind(isResponse)}`
      : sql`delete from svc_chat_handle ${ofKind(sql`not ${isResponse}`)}`
  ).execute(q);
}

/** Deletes a handle of the caller; answers its state, and undefined where there was none. */
export async function dropHandle(
  q: Queries,
  { tenantId, principalId }: Pick<Caller, 'tenantId' | 'principalId'>,
  handle: string,
): Promise<{ state: unknown } | undefined> {
  return q
    .deleteFrom('svc_chat_handle')
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('handle', '=', handle)
    .returning('state')
    .executeTakeFirst();
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
