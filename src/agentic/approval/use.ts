import { sql } from 'kysely';

import { audit } from '../../auth/audit/audit.ts';
import { stillHolds } from '../../auth/permission/still-holds.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { changesBetween } from '../../manager/entity/setting-facts.ts';
import type { Card } from '../action/card/card.ts';
import { type ActionRow, cardOf, viewOf } from '../action/view.ts';
import { commit, send } from '../decision/decision.ts';
import { stopFor } from '../decision/stop.ts';
import { kindFor } from '../proposal/kinds.ts';
import { lock, recheck } from '../proposal/renewal.ts';
import { activeOf, approvals, end, entry } from './approval.ts';
import type { ApprovedPoint } from './card.ts';
import { MAKER_HOLDS } from './maker.ts';
import { pointOf, whyOutside } from './outside.ts';
import { isOn } from './switch.ts';
import { type ApprovalRow, cardOf as approvalOf, statusOf } from './view.ts';

const HOUR_MS = 3_600_000;

type Which = { tenantId: string; actionId: string };
type Decided = { row: ActionRow; approval: ApprovalRow; maker: Caller; commandId: string };

/**
 * Confirms a pending proposal by a standing approval that it is inside of, and sends its command; else it stays pending for
 * a person (docs/specification/actions.md, Standing approvals).
 */
export async function decideBeforehand(app: App, which: Which): Promise<void> {
  const decided = await inTenant(app.db, which.tenantId, (q) => decide(app, q, which));
  if (!decided) return;
  app.crashAt('after-confirm');
  const { row, approval, maker, commandId } = decided;
  await send(app, maker, row, commandId, (q) => endedSince(app, q, approval));
}

async function decide(app: App, q: Queries, which: Which): Promise<Decided | null> {
  const { tenantId } = which;
  const now = app.clock.now();
  const row = await lock(q, tenantId, which.actionId);
  if (!viewOf(row, now).pendingConfirmation) return null;
  const [isAllowed, stopped, candidates] = await Promise.all([
    isOn(q, tenantId),
    stopFor(app, q, row),
    activeOf(q, { tenantId, agentId: row.userId, now }),
  ]);
  const card = cardOf(row);
  if (!kindFor(card).isApprovable) return null;
  const fitting = candidates.filter(
    (approval) =>
      (approval.clientId === '' || approval.clientId === row.clientId) &&
      pointOf(approvalOf(approval), card),
  );
  if (!isAllowed || stopped !== null || fitting.length === 0) return null;
  await countAlone(q, tenantId, card);
  const checked = await recheck(app, q, row, row.digest);
  if ('fresh' in checked) return null;
  for (const { approvalId } of fitting) {
    const approval = await take(app, q, row, approvalId);
    if (!approval) continue;
    const maker = makerOf(approval);
    const beforehand = { approvalId, left: approval.maxUses - approval.used };
    const { commandId } = await commit(app, q, maker, row, checked, { comment: '', beforehand });
    return commandId === null ? null : { row, approval, maker, commandId };
  }
  return null;
}

/**
 * Approvals of one point that decide at the same time count their uses one after the other. Taken before any lock of an
 * approval, so that two decisions do not wait for each other.
 */
async function countAlone(
  q: Queries,
  tenantId: string,
  { deviceId, pointId }: Card,
): Promise<void> {
  const key = `standing:${tenantId}:${deviceId}:${pointId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(q);
}

/** One use of an approval, counted under its row lock; null where the proposal is outside of it or it has ended. */
async function take(
  app: App,
  q: Queries,
  row: ActionRow,
  approvalId: string,
): Promise<ApprovalRow | null> {
  const { tenantId, actionId } = row;
  const approval = await approvals(q, tenantId)
    .where('approvalId', '=', approvalId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const now = app.clock.now();
  if (statusOf(approval, now) !== 'ACTIVE') return null;
  const approved = approvalOf(approval);
  const card = cardOf(row);
  const point = pointOf(approved, card);
  if (!point) return null;
  const voidSince = changesOf(point, card) ?? (await lossOf(q, approval, now));
  if (voidSince !== null) {
    await end(q, approval, { how: 'VOID', name: '', why: voidSince, now });
    await audit(app, q, makerOf(approval), entry('DISABLE', approval, { why: voidSince }));
    return null;
  }
  const usedInHour = await usesInHour(q, approval, point, now);
  if (whyOutside(approved, point, card, { now, usedInHour }) !== null) return null;
  const [used] = await Promise.all([
    q
      .updateTable('svc_standing_approval')
      .set({ used: approval.used + 1 })
      .where('tenantId', '=', tenantId)
      .where('approvalId', '=', approvalId)
      .where('used', '=', approval.used)
      .returningAll()
      .executeTakeFirstOrThrow(),
    q
      .insertInto('svc_standing_use')
      .values({
        tenantId,
        approvalId,
        actionId,
        deviceId: point.deviceId,
        pointId: point.pointId,
        useTime: new Date(now),
      })
      .execute(),
  ]);
  return used;
}

/** What changed of all that the digest of the approval covers; null: nothing. */
function changesOf(point: ApprovedPoint, card: Card): string | null {
  const names = ({
    deviceName,
    pointName,
    unit,
  }: Pick<Card, 'deviceName' | 'pointName' | 'unit'>) => ({
    'the name of the device': deviceName,
    'the name of the point': pointName,
    'the unit': unit,
  });
  const changes = [
    ...changesBetween(point.effect, card.effect),
    ...changesBetween(names(point), names(card)),
  ];
  return changes.length === 0 ? null : changes.join('; ');
}

/** Which right its maker lost; null: none. */
async function lossOf(
  q: Queries,
  { tenantId, makerId }: ApprovalRow,
  now: number,
): Promise<string | null> {
  const held = await Promise.all(
    MAKER_HOLDS.map((code) => stillHolds(q, { tenantId, principalId: makerId, code }, now)),
  );
  return held.every(Boolean)
    ? null
    : 'the person that approved it is disabled, gone or may no longer confirm and write';
}

/** Writes of the point that any approval decided within the last hour. */
async function usesInHour(
  q: Queries,
  { tenantId }: ApprovalRow,
  { deviceId, pointId }: ApprovedPoint,
  now: number,
): Promise<number> {
  const { count } = await q
    .selectFrom('svc_standing_use')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('tenantId', '=', tenantId)
    .where('deviceId', '=', deviceId)
    .where('pointId', '=', pointId)
    .where('useTime', '>', new Date(now - HOUR_MS))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Why a decision by an approval is void before its command was sent; null: it holds. */
async function endedSince(app: App, q: Queries, approval: ApprovalRow): Promise<string | null> {
  const { tenantId, approvalId } = approval;
  const [allowed, row, loss] = await Promise.all([
    isOn(q, tenantId),
    approvals(q, tenantId).where('approvalId', '=', approvalId).forShare().executeTakeFirst(),
    lossOf(q, approval, app.clock.now()),
  ]);
  if (!allowed) return 'Standing approvals were switched off before it was sent';
  if (row?.ended !== '') return 'The standing approval ended before it was sent';
  return loss;
}

/** The person that approved beforehand, for the records; it holds no permission of the person. */
const makerOf = ({ tenantId, makerId, makerName }: ApprovalRow): Caller => ({
  tenantId,
  principalId: makerId,
  principalType: 'USER',
  name: makerName,
  via: 'system',
  permissions: new Set(),
});
