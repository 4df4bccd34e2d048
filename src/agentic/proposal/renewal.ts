import { sql } from 'kysely';

import { stillHolds } from '../../auth/permission/still-holds.ts';
import type { Queries } from '../../db/connect.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { AppError } from '../../kernel/errors.ts';
import { audit } from '../action/audit.ts';
import { type Card, digestOf } from '../action/card/card.ts';
import { ACTION_STATUS, statusesAllowing } from '../action/kind/status.ts';
import { type ActionRow, type ActionView, cardOf, requireAction, viewOf } from '../action/view.ts';
import type { Made } from './kind.ts';
import { kindFor } from './kinds.ts';
import { forgetCommands } from './write.ts';

/** The card to look at again, and why. */
export type Changed = { fresh: ActionView; why: string; changes: string[] };
/** It is what is on the card; `moved` says how current values moved within their dead-bands. */
export type Same = { made: Made; moved: string };

/** Locks the action: concurrent decisions run one after the other, and each sees the previous one. */
export async function lock(q: Queries, tenantId: string, actionId: string): Promise<ActionRow> {
  const [, row] = await Promise.all([
    q
      .selectFrom('svc_action')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('actionId', '=', actionId)
      .forUpdate()
      .executeTakeFirst(),
    // A later statement: it reads what the lock waited for.
    requireAction(q, tenantId, actionId),
  ]);
  return row;
}

/**
 * Remakes the card from the present state. Answers Changed when the card differs (the action then gets the
 * new card and stays pending), when it is no longer allowed, or when the digest is missing or wrong.
 */
export async function recheck(
  app: App,
  q: Queries,
  row: ActionRow,
  digest: string | undefined,
): Promise<Same | Changed> {
  const old = cardOf(row);
  const now = app.clock.now();
  const kind = kindFor(old);
  const [, made] = await Promise.all([
    onlyDecisionNow(q, kind.locks(old)),
    remake(app, q, row, now),
  ]);
  if (typeof made === 'string') return { fresh: viewOf(row, now), why: made, changes: [] };
  const changes = kind.changes(old, made.card);
  if (changes.length > 0) {
    const fresh = await renew(app, q, row, { ...made.card, changes });
    return { fresh, why: whyOf(changes), changes };
  }
  if (digest === row.digest || (digest === undefined && !row.digestRequired))
    return { made, moved: kind.movement(old, made.card) };
  const why =
    digest === undefined
      ? 'Confirm this card with its digest'
      : 'The digest is not that of the current card';
  return { fresh: viewOf(row, now), why, changes: old.changes };
}

const whyOf = (changes: readonly string[]): string =>
  `What the action was proposed for has changed: ${changes.join('; ').slice(0, 800)}. ` +
  'Look at the fresh card and confirm it with its digest';

/** Serialises the confirmations of each key, so that two concurrent ones see each other; in one order, against deadlocks. */
async function onlyDecisionNow(q: Queries, keys: readonly string[]): Promise<void> {
  await Promise.all(
    keys
      .toSorted()
      .map((key) => sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(q)),
  );
}

/** The card as its proposal would make it now, or why it would be refused. */
async function remake(app: App, q: Queries, row: ActionRow, now: number): Promise<Made | string> {
  const { actionId, tenantId } = row;
  const old = cardOf(row);
  const { reason, tainted, proposerId, proposerName } = old;
  const proposer = { tenantId, principalId: proposerId, name: proposerName };
  const kind = kindFor(old);
  const framed = { actionId, reason, tainted, now };
  const notAllowed = (why: string): string => `The ${kind.noun} is no longer allowed: ${why}`;
  const [holds, made] = await Promise.all([
    stillHolds(q, { tenantId, principalId: proposerId, code: kind.proposes }, now),
    kind.remake({ app, q, proposer, framed }, old).catch((error: unknown) => {
      if (error instanceof AppError) return notAllowed(error.message);
      throw error;
    }),
  ]);
  return holds
    ? made
    : notAllowed(`its proposer is disabled, gone or may no longer propose a ${kind.noun}`);
}

/** Stores a new card; the expiry stays. */
async function renew(app: App, q: Queries, row: ActionRow, made: Card): Promise<ActionView> {
  const card = { ...made, expiresAt: cardOf(row).expiresAt };
  const now = app.clock.now();
  const [, renewed] = await Promise.all([
    q
      .updateTable('svc_action')
      .set({
        payload: JSON.stringify(card),
        digest: digestOf(card),
        digestRequired: true,
        operateTime: new Date(now),
      })
      .where('tenantId', '=', row.tenantId)
      .where('actionId', '=', row.actionId)
      .where('status', 'in', statusesAllowing('confirm'))
      .execute(),
    requireAction(q, row.tenantId, row.actionId),
  ]);
  return viewOf(renewed, now);
}

/**
 * Called before a confirmed command is marked SENT: null while its effect is the confirmed one. Otherwise
 * the confirmation is void: the action is pending again until its old expiry, with a renewed card if the
 * still allowed, and the reason is audited for `caller`, the confirming person.
 */
export async function voidIfChanged(
  app: App,
  q: Queries,
  caller: Caller,
  of: { actionId: string; commandId: string; reason: Promise<string | null> },
): Promise<Changed | null> {
  const { tenantId } = caller;
  const [row, reason] = await Promise.all([lock(q, tenantId, of.actionId), of.reason]);
  const now = app.clock.now();
  const made = await remake(app, q, row, now);
  const old = cardOf(row);
  const changes = typeof made === 'string' ? [] : kindFor(old).changesOfEffect(old, made.card);
  if (typeof made !== 'string' && changes.length === 0 && reason === null) return null;
  const why =
    typeof made === 'string' ? made : changes.length > 0 ? whyOf(changes) : (reason ?? '');

  const waits = row.expireTime.getTime() > now;
  const reopened = await q
    .updateTable('svc_action')
    .set({
      status: waits ? ACTION_STATUS.PENDING : ACTION_STATUS.EXPIRED,
      digestRequired: true,
      decidedBy: '0',
      decidedName: '',
      decidedTime: null,
      comment: '',
      description: '',
      commandId: null,
      approvalId: null,
      approvalLeft: null,
      operateTime: new Date(now),
    })
    .where('tenantId', '=', tenantId)
    .where('actionId', '=', of.actionId)
    .where('commandId', '=', of.commandId)
    .where('status', 'in', statusesAllowing('renew'))
    .returning('id')
    .executeTakeFirst();
  if (reopened) await forgetCommands(q, row);
  if (reopened && typeof made !== 'string') await renew(app, q, row, { ...made.card, changes });
  const open = await requireAction(q, tenantId, of.actionId);
  if (reopened)
    await audit(q, caller, {
      action: 'action:void',
      actionId: of.actionId,
      title: row.title,
      detail: { digest: row.digest, renewed: open.digest, why, changes, commandId: of.commandId },
      at: new Date(now),
    });
  return { fresh: viewOf(open, now), why, changes };
}
