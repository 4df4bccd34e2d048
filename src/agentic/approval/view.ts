import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { StandingApprovalTable } from '../../db/schema/agentic.ts';
import { AnswerId, AnswerUuid, IsoTime } from '../../kernel/entity/answer.ts';
import { moment, quoted } from '../../kernel/sentence/voice.ts';
import { ApprovalCard, ApprovedPoint, sentenceOf } from './card.ts';

const STATUSES = ['ACTIVE', 'USED_UP', 'EXPIRED', 'REVOKED', 'VOID'] as const;
export type ApprovalStatus = (typeof STATUSES)[number];

/** A card in the shape of all answers, before or after it was approved. */
export const ApprovalView = ApprovalCard.omit({ version: true, tenantId: true }).extend({
  points: z.array(ApprovedPoint.omit({ effect: true })),
  digest: z.string().describe('SHA-256 of the card; approving is bound to it'),
  say: z.string(),
});
export type ApprovalView = z.output<typeof ApprovalView>;

export const Approval = ApprovalView.extend({
  approvalId: AnswerUuid,
  status: z.enum(STATUSES),
  used: z.number().int(),
  left: z.number().int(),
  agentId: AnswerId,
  makerId: AnswerId,
  endedName: z.string().describe('Of the person that revoked it, else empty'),
  endedWhy: z.string(),
  endedTime: IsoTime.nullable(),
  createTime: IsoTime,
}).meta({ id: 'StandingApproval' });
export type Approval = z.output<typeof Approval>;

export type ApprovalRow = Selectable<StandingApprovalTable>;

export const cardOf = ({ card }: Pick<ApprovalRow, 'card'>): ApprovalCard =>
  ApprovalCard.parse(card);

export function approvalViewOf(card: ApprovalCard, digest: string): ApprovalView {
  const { version: _version, tenantId: _tenantId, points, ...shown } = card;
  return {
    ...shown,
    points: points.map(({ effect: _effect, ...point }) => point),
    digest,
    say: sentenceOf(card),
  };
}

/** `now` in milliseconds since the epoch. */
export function viewOf(row: ApprovalRow, now: number): Approval {
  const card = cardOf(row);
  const status = statusOf(row, now);
  return {
    ...approvalViewOf(card, row.digest),
    approvalId: row.approvalId,
    status,
    say: `${sentenceOf(card)} ${endings[status](row)}`,
    used: row.used,
    left: row.maxUses - row.used,
    endedName: row.endedName,
    endedWhy: row.endedWhy,
    endedTime: row.endedTime?.toISOString() ?? null,
    createTime: row.createTime.toISOString(),
  };
}

export function statusOf(
  {
    ended,
    used,
    maxUses,
    untilTime,
  }: Pick<ApprovalRow, 'ended' | 'used' | 'maxUses' | 'untilTime'>,
  now: number,
): ApprovalStatus {
  if (ended !== '') return ended;
  if (used >= maxUses) return 'USED_UP';
  return untilTime.getTime() <= now ? 'EXPIRED' : 'ACTIVE';
}

const at = ({ endedTime }: ApprovalRow): string =>
  endedTime === null ? '' : ` ${moment(endedTime.toISOString())}`;

const endings: Record<ApprovalStatus, (row: ApprovalRow) => string> = {
  ACTIVE: ({ makerName, used, maxUses }) =>
    `Approved by ${quoted(makerName)}; ${maxUses - used} of ${maxUses} uses are left.`,
  USED_UP: ({ makerName }) => `Approved by ${quoted(makerName)}; all its uses are used.`,
  EXPIRED: ({ makerName, used }) =>
    `Approved by ${quoted(makerName)}; expired, used ${used} times.`,
  REVOKED: (row) => `Revoked by ${quoted(row.endedName)}${at(row)}, used ${row.used} times.`,
  VOID: (row) => `Void since${at(row)}: ${row.endedWhy}. It was used ${row.used} times.`,
};
