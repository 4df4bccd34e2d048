import { createHash } from 'node:crypto';

import { z } from 'zod';

import { canonicalJson } from '../../../core/canonical-json.ts';
import { OtherWrite, Rejection } from './notes.ts';

/**
 * Facts shown to the human and the value to write, frozen at the proposal (docs/specification/actions.md,
 * Card and digest). Times are ISO-8601, values canonical text in the point's own unit.
 */
export const Card = z.object({
  version: z.literal(1),
  actionId: z.string(),
  tenantId: z.string(),
  proposerId: z.string(),
  proposerName: z.string(),
  deviceId: z.string(),
  deviceName: z.string(),
  deviceCode: z.string(),
  deviceStatus: z.enum(['online', 'offline', 'unknown']),
  pointId: z.string(),
  pointName: z.string(),
  pointCode: z.string(),
  unit: z.string(),
  /** Since when the device has been offline; null while it is not, or where that is not known. */
  offlineSince: z.string().nullable().default(null),
  /** The point's latest value when the card was made; null when none is known. */
  currentValue: z.string().nullable(),
  currentTime: z.string().nullable(),
  proposedValue: z.string(),
  /** Why, in the words of the proposer; empty if not given. Shown as such, and covered by the digest. */
  reason: z.string().default(''),
  limits: z.object({
    min: z.number().nullable(),
    max: z.number().nullable(),
    /** Values outside of limits are refused before a card exists. */
    verdict: z.enum(['WITHIN', 'NONE_SET']),
  }),
  expiresAt: z.string(),
  /** How far the current value may move before the card is renewed; null: any change renews it. */
  deadband: z.number().nullable().default(null),
  /** Facts that decide the effect on the wire (effect.ts); covered by the digest, not shown. */
  effect: z.record(z.string(), z.string()).default({}),
  /** Other writes for the point that are proposed, under way or of unknown outcome. */
  others: z.array(OtherWrite).default([]),
  /** The last equal proposal for the point that a person rejected within a day. */
  rejectedBefore: Rejection.nullable().default(null),
  /** Of a renewed card: changes since the previous card. */
  changes: z.array(z.string()).default([]),
});
export type Card = z.infer<typeof Card>;

/** The card in the shape of all answers. */
export const ShownCard = Card.omit({ version: true, tenantId: true, effect: true }).extend({
  currentAge: z.string().meta({ description: 'Age of the current value', examples: ['4 min old'] }),
});
export type ShownCard = z.output<typeof ShownCard>;

/** SHA-256 (hex) of the card as JSON with sorted keys; a confirmation is bound to it. */
export const digestOf = (card: Card): string =>
  createHash('sha256').update(canonicalJson(card)).digest('hex');
