import { createHash } from 'node:crypto';

import { z } from 'zod';

import { canonicalJson } from '../../kernel/canonical-json.ts';
import { amount, byName, moment, quoted } from '../../kernel/sentence/voice.ts';

/** What an agent may set a point to without a person looking at each write. */
export const ApprovedPoint = z.object({
  deviceId: z.string(),
  deviceName: z.string(),
  pointId: z.string(),
  pointName: z.string(),
  unit: z.string(),
  min: z.number(),
  max: z.number(),
  /** Largest distance from the current value, in the point's unit. */
  maxStep: z.number(),
  /** Writes of the point within any hour. */
  maxPerHour: z.number().int(),
  /** As of a card of a write (action/card/wire.ts). */
  effect: z.record(z.string(), z.string()),
});
export type ApprovedPoint = z.infer<typeof ApprovedPoint>;

const Hours = z.object({
  start: z.string(),
  end: z.string(),
  daysOfWeek: z.array(z.number().int()),
  timezone: z.string(),
});

/** What a person approves beforehand; frozen, and covered by its digest (docs/specification/actions.md, Standing approvals). */
export const ApprovalCard = z.object({
  version: z.literal(1),
  tenantId: z.string(),
  agentId: z.string(),
  agentName: z.string(),
  /** Empty: any client of the agent, which is then a service account. */
  clientId: z.string(),
  clientName: z.string(),
  makerId: z.string(),
  makerName: z.string(),
  reason: z.string(),
  points: z.array(ApprovedPoint),
  /** Null: at any time. */
  hours: Hours.nullable(),
  /** ISO-8601. */
  until: z.string(),
  maxUses: z.number().int(),
});
export type ApprovalCard = z.infer<typeof ApprovalCard>;

/** SHA-256 (hex) of the card as JSON with sorted keys. */
export const digestOf = (card: ApprovalCard): string =>
  createHash('sha256').update(canonicalJson(card)).digest('hex');

/** The card in one sentence. */
export function sentenceOf(card: ApprovalCard): string {
  const { agentName, clientName, points, hours, until, maxUses } = card;
  const agent =
    clientName === '' ? quoted(agentName) : `${quoted(agentName)} through ${quoted(clientName)}`;
  const writes = points.map(
    ({ deviceName, pointName, unit, min, max, maxStep, maxPerHour }) =>
      `${quoted(pointName)} of ${quoted(deviceName)} to ${min}–${amount(String(max), unit, byName)} ` +
      `in steps of at most ${amount(String(maxStep), unit, byName)}, at most ${maxPerHour} times an hour`,
  );
  const when = hours === null ? '' : `, ${hoursOf(hours)}`;
  const times = maxUses === 1 ? 'once' : `${maxUses} times`;
  return `${agent} may set ${writes.join('; ')}${when}, until ${moment(until)}, at most ${times} in all.`;
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

function hoursOf({ start, end, daysOfWeek, timezone }: z.infer<typeof Hours>): string {
  const days = daysOfWeek.map((day) => DAYS[day - 1]).join(', ');
  return `${days === '' ? '' : `${days} `}${start}–${end} ${timezone}`;
}
