import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';
import type { z } from 'zod';

import { demand } from '../../auth/permission/permission.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Caller, Operation } from '../../kernel/app/app.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import { Uuid } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { audit } from '../action/audit.ts';
import { type Card, digestOf, valuesIn } from '../action/card/card.ts';
import { joinConversation } from '../action/join-conversation.ts';
import { actionByKey, keepKey, keyOf, type ProposalKey } from '../action/key.ts';
import { ACTION_STATUS } from '../action/kind/status.ts';
import {
  type ActionRow,
  type ActionView,
  actionsOf,
  cardOf,
  requireAction,
  viewOf,
} from '../action/view.ts';
import { activeOf } from '../approval/approval.ts';
import { decideBeforehand } from '../approval/use.ts';
import type { Kind } from '../proposal/kind.ts';
import { type Asked, askedOf } from '../proposal/kinds.ts';
import { storeSteps } from '../proposal/write.ts';

/** Limits the number of cards that a looping model can create. */
const MAX_PENDING_IN_CONVERSATION = 5;
const MAX_PENDING_OF_PRINCIPAL = 50;
const MAX_LISTED = 100;

/** `repeated`: it was proposed before, with the same key or as the same pending proposal of any conversation or client. */
export type ActionCard = ActionView & { repeated: boolean };
export type Proposal = Asked & {
  /** Why the proposer asks for it; shown on the card. */
  reason?: string;
  idempotencyKey?: string | undefined;
  conversationId?: string;
  toolCallId?: string;
  /** What takes long to find out: called before the card is made, not for a key that was given before. */
  complete?: () => Promise<Asked>;
};

/**
 * Proposes what cannot be taken back: a PENDING action with its frozen card, and nothing else (docs/specification/actions.md,
 * Proposal). While it is pending, an equal proposal of the principal answers this action, from any
 * conversation or client. With an `idempotencyKey` that was given before it answers the action of that key, whatever
 * became of it. Throws NotFound, Unprocessable, TooManyRequests, Conflict for a key of other arguments.
 */
export const propose: Operation<Proposal, ActionCard> = async (app, caller, proposal) => {
  const { reads } = askedOf(proposal).kind;
  if (reads !== null) demand(caller, reads);
  const { view, isApproved } =
    (await earlierOf(app, caller, proposal)) ?? (await add(app, caller, await whole(proposal)));
  if (!isApproved) return view;
  const which = { tenantId: caller.tenantId, actionId: view.actionId };
  // What no approval decides waits for a person.
  await decideBeforehand(app, which).catch((error: unknown) =>
    app.log.error({ error, ...which }, 'a standing approval could not decide'),
  );
  return { ...(await byId(app, caller, which)), repeated: view.repeated };
};

const whole = async ({ complete, ...proposal }: Proposal): Promise<Proposal> =>
  complete ? { ...proposal, ...(await complete()) } : proposal;

/** What the key was given with before, for a proposal that would take long to complete. */
const earlierOf: Operation<Proposal, Added | null> = async (app, caller, proposal) => {
  const key = keyIn(proposal);
  if (!proposal.complete || !key) return null;
  const now = app.clock.now();
  const earlier = await inOneTrip(app.db, caller.tenantId, (q) => actionByKey(q, caller, key, now));
  return earlier ? again(viewOf(earlier, now)) : null;
};

function keyIn(proposal: Proposal): ProposalKey | null {
  const { reason = '', idempotencyKey } = proposal;
  const { kind, given } = askedOf(proposal);
  return idempotencyKey === undefined ? null : keyOf(kind.tool, idempotencyKey, [...given, reason]);
}

/** `isApproved`: it is new, and its proposer has standing approvals. */
type Added = { view: ActionCard; isApproved: boolean };

const add: Operation<Proposal, Added> = (app, caller, proposal) =>
  inTenant(app.db, caller.tenantId, async (q) => {
    const now = app.clock.now();
    const conversationId =
      proposal.conversationId ?? (caller.via === 'model' ? caller.clientId : undefined) ?? '';
    const { reason = '' } = proposal;
    const { kind, make } = askedOf(proposal);
    const key = keyIn(proposal);
    const framed = { reason, actionId: randomUUID(), now };
    const locked = onlyProposerNow(q, caller);
    const making = make({ app, q, proposer: caller, framed });
    // A key that was given before gets its answer even where it is refused now.
    making.catch(() => {});
    const { tenantId, principalId } = caller;
    const [, open, earlier, approvals] = await Promise.all([
      locked,
      openOf(q, caller, now),
      key && actionByKey(q, caller, key, now),
      activeOf(q, { tenantId, agentId: principalId, now }),
    ]);
    if (earlier) return again(viewOf(earlier, now));
    const { card } = await making;
    const same = open.find(
      (row) => row.actionType === kind.tool && kind.isEqual(cardOf(row), card),
    );
    if (same) {
      if (key) await keepKey(q, caller, key, { actionId: same.actionId, now });
      await joinConversation(q, caller, same, conversationId);
      return again(viewOf(same, now));
    }
    const inConversation = open.filter((row) => row.conversationId === conversationId);
    const isFull = conversationId !== '' && inConversation.length >= MAX_PENDING_IN_CONVERSATION;
    if (isFull || open.length >= MAX_PENDING_OF_PRINCIPAL) {
      throw new TooManyRequests(
        'Too many proposals wait for a human; have some confirmed or rejected first',
        60,
      );
    }
    const { actionId } = card;
    const title = kind.title(card);
    const [, , , , row] = await Promise.all([
      store(q, caller, card, { ...proposal, kind, conversationId, title, now }),
      card.steps.length > 0 && storeSteps(q, card),
      audit(q, caller, {
        action: 'action:propose',
        actionId,
        title,
        detail: {
          digest: digestOf(card),
          value: valuesIn(card),
          conversationId,
          ...taintOf(card),
        },
        at: new Date(now),
      }),
      key && keepKey(q, caller, key, { actionId, now }),
      requireAction(q, tenantId, actionId),
    ]);
    return {
      view: { ...viewOf(row, now), repeated: false },
      isApproved: kind.isApprovable && approvals.length > 0,
    };
  });

const REPEATED = 'This was proposed before and still waits; nothing new was made.';

function again(view: ActionView): Added {
  const say = view.pendingConfirmation ? `${REPEATED} ${view.say}` : view.say;
  return { view: { ...view, repeated: true, say, summary: say }, isApproved: false };
}

const taintOf = ({ tainted }: Card) => (tainted.length === 0 ? {} : { tainted });

/** Serialises the proposals of a principal, so that two equal ones at the same time find each other. */
async function onlyProposerNow(q: Queries, { tenantId, principalId }: Caller): Promise<void> {
  const key = `action:${tenantId}:${principalId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(q);
}

/** The principal's proposals that wait for a decision. */
const openOf = (q: Queries, { tenantId, principalId }: Caller, now: number): Promise<ActionRow[]> =>
  actionsOf(q, tenantId)
    .where('svc_action.userId', '=', principalId)
    .where('svc_action.status', '=', ACTION_STATUS.PENDING)
    .where('svc_action.expireTime', '>', new Date(now))
    .limit(MAX_PENDING_OF_PRINCIPAL)
    .execute();

type Stored = Pick<Proposal, 'conversationId' | 'toolCallId'> & {
  kind: Kind;
  title: string;
  now: number;
};

async function store(
  q: Queries,
  caller: Caller,
  card: Card,
  { kind, conversationId = '', toolCallId = caller.toolCallId ?? '', title, now }: Stored,
): Promise<void> {
  await q
    .insertInto('svc_action')
    .values({
      actionId: card.actionId,
      tenantId: caller.tenantId,
      userId: caller.principalId,
      userName: caller.name,
      proposedVia: caller.via,
      // The switches and approvals of a client count in its chats as well.
      clientId: (caller.via === 'model' ? caller.chatClientId : caller.clientId) ?? '',
      conversationId,
      // Without a conversation there is no receipt to write.
      told: conversationId === '',
      toolCallId,
      actionType: kind.tool,
      title,
      deviceId: card.deviceId || '0',
      pointId: card.pointId || '0',
      payload: JSON.stringify(card),
      digest: digestOf(card),
      digestRequired: card.tainted.length > 0 || kind.needsDigest(card),
      status: ACTION_STATUS.PENDING,
      expireTime: new Date(card.expiresAt),
      commandId: null,
      createTime: new Date(now),
      operateTime: new Date(now),
    })
    .execute();
}

export const ByActionId = input({ actionId: Uuid.transform((id) => id.toLowerCase()) });

/** One action of the tenant with the outcome of its command; throws NotFound. */
export const byId: Operation<z.output<typeof ByActionId>, ActionView> = (
  app,
  caller,
  { actionId },
) =>
  inOneTrip(app.db, caller.tenantId, async (q) =>
    viewOf(await requireAction(q, caller.tenantId, actionId), app.clock.now()),
  );

export const OfConversation = input({ conversationId: Text(128).optional() });

/** Actions in PENDING of the tenant or of one conversation, oldest first, at most 100. */
export const pending: Operation<z.output<typeof OfConversation>, ActionView[]> = (
  app,
  caller,
  { conversationId },
) =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    const now = app.clock.now();
    let query = pendingIn(q, caller.tenantId, now).orderBy('svc_action.id');
    if (conversationId) query = query.where('svc_action.conversationId', '=', conversationId);
    return (await query.execute()).map((row) => viewOf(row, now));
  });

export const pendingIn = (q: Queries, tenantId: string, now: number) =>
  actionsOf(q, tenantId)
    .where('svc_action.status', '=', ACTION_STATUS.PENDING)
    .where('svc_action.expireTime', '>', new Date(now))
    .limit(MAX_LISTED);

/** Actions of the tenant in PENDING at `now` (ms since the epoch), counted up to 100. */
export async function countPending(q: Queries, tenantId: string, now: number): Promise<number> {
  const listed = pendingIn(q, tenantId, now).clearSelect().select('svc_action.id');
  const { count } = await q
    .selectFrom(listed.as('listed'))
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
