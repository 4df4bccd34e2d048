import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { created, touched } from '../../db/stamp.ts';
import { statement } from '../../db/statement.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerId, stored } from '../../kernel/entity/answer.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { NotFound } from '../../kernel/errors.ts';
import { input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { storable, Text } from '../../kernel/input/text.ts';

/**
 * Preferences carried into the next turn (docs/specification/assistant.md, Session (svc_session)); unknown
 * ones are left out.
 */
export const SessionExt = z.object({
  model: Text(128).optional(),
  temperature: z.number().min(0).max(2).optional(),
  maxTokens: z.number().int().min(1).max(1_000_000).optional(),
  reasoningEnabled: z.boolean().optional(),
});
export type SessionExt = z.infer<typeof SessionExt>;

const extOf = (given: unknown): SessionExt => SessionExt.safeParse(given).data ?? {};

/** A conversation of a user (docs/specification/assistant.md, Session (svc_session)). */
export const Session = stored('Session', {
  conversationId: z.string().meta({ examples: ['night-shift'] }),
  title: z.string().meta({ examples: ['Why is boiler 2 cold?'] }),
  sessionExt: z.preprocess(extOf, SessionExt),
  userId: AnswerId,
});
type Session = z.output<typeof Session.schema>;

/** Conversations of the user only: another user's conversation counts as missing. */
const own = (q: Queries, { tenantId, principalId }: Pick<Caller, 'tenantId' | 'principalId'>) =>
  q.selectFrom('svc_session').where('tenantId', '=', tenantId).where('userId', '=', principalId);

/** Throws NotFound for a conversation that is missing, another tenant's or another user's. */
export async function requireSession(
  q: Queries,
  caller: Caller,
  conversationId: string,
): Promise<Session> {
  const row = await own(q, caller)
    .selectAll()
    .where('conversationId', '=', conversationId)
    .executeTakeFirst();
  if (!row) throw new NotFound('Session');
  return Session.of(row);
}

type OwnSession = Pick<Caller, 'tenantId' | 'principalId'> & { conversationId: string };
const storedExt = statement((q, given: OwnSession) =>
  own(q, given).select('sessionExt').where('conversationId', '=', given.conversationId).compile(),
);

/** The stored preferences of a conversation; empty for a new one. */
export async function preferencesOf(
  q: Queries,
  caller: Caller,
  conversationId: string,
): Promise<SessionExt> {
  const { tenantId, principalId } = caller;
  const [row] = await storedExt(q, { tenantId, principalId, conversationId });
  return extOf(row?.sessionExt);
}

const MAX_TITLE = 60;
const UNTITLED = 'New conversation';

/** The title of a conversation that begins with this text. */
export const titleOf = (text: string): string =>
  storable(text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TITLE)) || UNTITLED;

type Touched = {
  conversationId: string;
  title: string;
  ext: SessionExt;
  /** When a conversation that is created began, in ms since the epoch, or with an action of it that is there already. */
  since: number;
};

type Touch = OwnSession & { name: string; title: string; ext: string; since: Date; now: Date };
const touchOwn = statement((q, given: Touch) => {
  const { conversationId, title, ext, tenantId, principalId, name, since, now } = given;
  const by = { operatorId: principalId, operatorName: name, operateTime: now };
  return q
    .insertInto('svc_session')
    .values({
      conversationId,
      title,
      sessionExt: ext,
      tenantId,
      userId: principalId,
      creatorId: principalId,
      creatorName: name,
      ...by,
      // The action may be one of a turn that was lost (action/join-conversation.ts).
      createTime: sql<Date>`(
        select least(${since}::timestamptz, min(create_time)) from svc_action
        where tenant_id = ${tenantId} and user_id = ${principalId}
          and conversation_id = ${conversationId} and not told)`,
    })
    .onConflict((conflict) =>
      conflict.columns(['tenantId', 'userId', 'conversationId']).doUpdateSet({
        sessionExt: sql`svc_session.session_ext || excluded.session_ext`,
        // It began without a text.
        title: sql`case when svc_session.title = ${UNTITLED} then excluded.title else svc_session.title end`,
        ...by,
      }),
    )
    .returning('id')
    .compile();
});

/**
 * Creates the conversation on its first turn, else merges `ext` into its preferences, and locks it for this
 * transaction; returns the id of its session.
 */
export async function touchSession(
  app: App,
  q: Queries,
  caller: Caller,
  { conversationId, title, ext, since }: Touched,
): Promise<string> {
  const { tenantId, principalId, name } = caller;
  const [row] = await touchOwn(q, {
    tenantId,
    principalId,
    name,
    conversationId,
    title,
    ext: JSON.stringify(ext),
    since: new Date(since),
    now: new Date(app.clock.now()),
  });
  if (!row) throw new Error('a session was not stored');
  return row.id;
}

type Lock = Omit<OwnSession, 'conversationId'> & { name: string; sessionId: string; now: Date };
const lockOwn = statement((q, { tenantId, principalId, name, sessionId, now }: Lock) =>
  q
    .updateTable('svc_session')
    .set({ operatorId: principalId, operatorName: name, operateTime: now })
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('id', '=', sessionId)
    .compile(),
);

/** Locks this session for this transaction and sets its operate time, unless it was deleted. */
export async function continueSession(
  app: App,
  q: Queries,
  caller: Caller,
  sessionId: string,
): Promise<void> {
  const { tenantId, principalId, name } = caller;
  await lockOwn(q, { tenantId, principalId, name, sessionId, now: new Date(app.clock.now()) });
}

/** A condition for statements that follow `continueSession`: the session was not deleted. */
export const sessionExists = (
  tenantId: string,
  sessionId: string | RawBuilder<unknown>,
): RawBuilder<boolean> =>
  sql`exists (select from svc_session where tenant_id = ${tenantId} and id = ${sessionId})`;

/** Creates the conversation when it does not exist, and locks it for this transaction. */
export async function openSession(
  app: App,
  q: Queries,
  caller: Caller,
  { conversationId, title }: { conversationId: string; title: string },
): Promise<void> {
  const { tenantId, principalId: userId } = caller;
  await Promise.all([
    q
      .insertInto('svc_session')
      .values({ conversationId, title, tenantId, userId, ...created(app, caller) })
      .onConflict((conflict) =>
        conflict.columns(['tenantId', 'userId', 'conversationId']).doNothing(),
      )
      .execute(),
    lockSession(q, { tenantId, userId, conversationId }),
  ]);
}

/** Locks a conversation for this transaction; false when it does not exist (any more). */
export async function lockSession(
  q: Queries,
  { tenantId, userId, conversationId }: Record<'tenantId' | 'userId' | 'conversationId', string>,
): Promise<boolean> {
  const row = await q
    .selectFrom('svc_session')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('userId', '=', userId)
    .where('conversationId', '=', conversationId)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

export const ConversationId = Text(128).trim().min(1);
export const ByConversationId = input({ conversationId: ConversationId });

export const ListSessions = input({ page: Page, title: Text(128).optional() });

/** The user's conversations, the latest first. */
export const list: Operation<z.output<typeof ListSessions>, Paged<Session>> = (
  app,
  caller,
  given,
) =>
  inOneTrip(app.db, caller.tenantId, (q) => {
    const query = narrowed(own(q, caller).selectAll(), given, { like: ['title'] });
    const latestFirst = query.orderBy('operateTime', 'desc').orderBy('id', 'desc');
    return pageOf(latestFirst, given.page, Session.of);
  });

export const byConversationId: Operation<z.output<typeof ByConversationId>, Session> = (
  app,
  caller,
  { conversationId },
) => inOneTrip(app.db, caller.tenantId, (q) => requireSession(q, caller, conversationId));

export const UpdateSession = input({
  conversationId: ConversationId,
  title: Text(128).trim().min(1).optional(),
  remark: Text(512).optional(),
  sessionExt: SessionExt.optional(),
});

/**
 * Changes title and remark, and merges preferences into the stored ones, also while a turn stores its own.
 * Throws NotFound.
 */
export const update: Operation<z.output<typeof UpdateSession>, Session> = async (
  app,
  caller,
  { conversationId, title, remark, sessionExt = {} },
) => {
  const { tenantId, principalId: userId } = caller;
  const row = await inOneTrip(app.db, tenantId, (q) =>
    q
      .updateTable('svc_session')
      .set({
        ...(title === undefined ? {} : { title }),
        ...(remark === undefined ? {} : { remark }),
        sessionExt: sql`session_ext || ${JSON.stringify(sessionExt)}::jsonb`,
        ...touched(app, caller),
      })
      .where('tenantId', '=', tenantId)
      .where('userId', '=', userId)
      .where('conversationId', '=', conversationId)
      .returningAll()
      .executeTakeFirst(),
  );
  if (!row) throw new NotFound('Session');
  return Session.of(row);
};
