import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import { type AuditEntry, audit } from '../../auth/audit/audit.ts';
import { demandPerson } from '../../auth/rights/person.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { Conflict, NotFound, PreconditionChanged, TooManyRequests } from '../../kernel/errors.ts';
import { Id, Uuid } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { ApprovalCard, digestOf } from './card.ts';
import { demandMaker, type Make, makeCard, type Preview } from './maker.ts';
import { demandOn } from './switch.ts';
import {
  type Approval,
  type ApprovalRow,
  type ApprovalView,
  approvalViewOf,
  viewOf,
} from './view.ts';

/** Bounds what is looked through at each proposal of an agent. */
const MAX_OF_AGENT = 20;
const MAX_LISTED = 200;

export const ByApprovalId = input({ approvalId: Uuid.transform((id) => id.toLowerCase()) });
export const Revoke = input({
  approvalId: Uuid.transform((id) => id.toLowerCase()),
  reason: Text(200).default(''),
});
export const OfAgent = input({
  principalId: Id.optional(),
  active: z.boolean().default(false).describe('Only those that still decide'),
});

/** The card that an approval would have, with its digest; nothing is stored. Throws as `make` does. */
export const preview: Operation<z.output<typeof Preview>, ApprovalView> = (app, caller, wanted) => {
  demandMaker(caller);
  return inOneTrip(app.db, caller.tenantId, async (q) => {
    const [card] = await Promise.all([
      makeCard(app, q, caller, wanted),
      demandOn(q, caller.tenantId),
    ]);
    return approvalViewOf(card, digestOf(card));
  });
};

/**
 * Approves writes of an agent beforehand (docs/specification/actions.md, Standing approvals). Throws Forbidden for any
 * caller but an interactive login that may confirm and write, Conflict where the tenant has them switched off,
 * PreconditionChanged (412) with the fresh card for another digest than the card's, NotFound, Unprocessable.
 */
export const make: Operation<z.output<typeof Make>, Approval> = (
  app,
  caller,
  { digest, ...wanted },
) => {
  demandMaker(caller);
  const { tenantId } = caller;
  return inTenant(app.db, tenantId, async (q) => {
    const [card] = await Promise.all([makeCard(app, q, caller, wanted), demandOn(q, tenantId)]);
    if (digestOf(card) !== digest)
      throw new PreconditionChanged('This is not the card that the preview showed', {
        card: approvalViewOf(card, digestOf(card)),
      });
    const now = app.clock.now();
    const active = await activeOf(q, { tenantId, agentId: card.agentId, now });
    if (active.length >= MAX_OF_AGENT)
      throw new TooManyRequests(`An agent has at most ${MAX_OF_AGENT} standing approvals`, 60);
    const row = await store(q, card, digest, now);
    await audit(app, q, caller, entry('CREATE', row, { digest, until: card.until }));
    return viewOf(row, now);
  });
};

/** Approvals of the tenant, newest first, at most 200. */
export const list: Operation<z.output<typeof OfAgent>, Approval[]> = (
  app,
  { tenantId },
  { principalId, active },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const now = app.clock.now();
    let query = approvals(q, tenantId).orderBy('id', 'desc').limit(MAX_LISTED);
    if (principalId !== undefined) query = query.where('agentId', '=', principalId);
    if (active) query = query.where('ended', '=', '').where('untilTime', '>', new Date(now));
    const views = (await query.execute()).map((row) => viewOf(row, now));
    return active ? views.filter(({ status }) => status === 'ACTIVE') : views;
  });

/** Throws NotFound. */
export const byId: Operation<z.output<typeof ByApprovalId>, Approval> = (
  app,
  { tenantId },
  { approvalId },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const row = await approvals(q, tenantId)
      .where('approvalId', '=', approvalId)
      .executeTakeFirst();
    return viewOf(found(row), app.clock.now());
  });

/**
 * Ends an approval: it decides nothing from this commit on, and what it decided and is not sent yet waits for a person.
 * Throws Forbidden, NotFound, Conflict for one that is void.
 */
export const revoke: Operation<z.output<typeof Revoke>, Approval> = (
  app,
  caller,
  { approvalId, reason },
) => {
  demandPerson(caller, 'revoke a standing approval');
  const { tenantId } = caller;
  return inTenant(app.db, tenantId, async (q) => {
    const now = app.clock.now();
    const row = found(
      await approvals(q, tenantId)
        .where('approvalId', '=', approvalId)
        .forUpdate()
        .executeTakeFirst(),
    );
    if (row.ended === 'REVOKED') return viewOf(row, now);
    if (row.ended !== '') throw new Conflict(`The approval is already ${row.ended}`);
    const ended = await end(q, row, { how: 'REVOKED', name: caller.name, why: reason, now });
    await audit(app, q, caller, entry('DISABLE', row, { used: row.used, reason }));
    return viewOf(ended, now);
  });
};

type End = { how: 'REVOKED' | 'VOID'; name: string; why: string; now: number };

/** Under the row lock. */
export const end = (
  q: Queries,
  { tenantId, approvalId }: ApprovalRow,
  { how, name, why, now }: End,
): Promise<ApprovalRow> =>
  q
    .updateTable('svc_standing_approval')
    .set({ ended: how, endedName: name, endedWhy: why.slice(0, 1_024), endedTime: new Date(now) })
    .where('tenantId', '=', tenantId)
    .where('approvalId', '=', approvalId)
    .returningAll()
    .executeTakeFirstOrThrow();

export const approvals = (q: Queries, tenantId: string) =>
  q.selectFrom('svc_standing_approval').selectAll().where('tenantId', '=', tenantId);

type Agent = { tenantId: string; agentId: string; now: number };

/** Approvals of an agent that may decide now, oldest first. */
export const activeOf = (q: Queries, { tenantId, agentId, now }: Agent) =>
  approvals(q, tenantId)
    .where('agentId', '=', agentId)
    .where('ended', '=', '')
    .where('untilTime', '>', new Date(now))
    .whereRef('used', '<', 'maxUses')
    .orderBy('id')
    .limit(MAX_OF_AGENT)
    .execute();

export const entry = (
  action: AuditEntry['action'],
  { approvalId, card }: ApprovalRow,
  detail: Record<string, unknown>,
): AuditEntry => ({
  action,
  resourceType: 'STANDING_APPROVAL',
  resourceId: approvalId,
  resourceName: ApprovalCard.parse(card).agentName,
  detail,
});

async function store(
  q: Queries,
  card: ApprovalCard,
  digest: string,
  now: number,
): Promise<ApprovalRow> {
  const { tenantId, agentId, clientId, makerId, makerName, until, maxUses } = card;
  return q
    .insertInto('svc_standing_approval')
    .values({
      tenantId,
      approvalId: randomUUID(),
      agentId,
      clientId,
      makerId,
      makerName,
      card: JSON.stringify(card),
      digest,
      untilTime: new Date(until),
      maxUses,
      createTime: new Date(now),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

function found(row: ApprovalRow | undefined): ApprovalRow {
  if (!row) throw new NotFound('Standing approval');
  return row;
}
