import { createHash } from 'node:crypto';

import { z } from 'zod';

import { ReadText } from '../../../auth/agent/read-texts.ts';
import { canonicalJson } from '../../../kernel/canonical-json.ts';
import { AlarmCard, AlarmView } from '../kind/alarm-card.ts';
import { FirmwareCard, FirmwareView } from '../kind/firmware-card.ts';
import { KINDS } from '../kind/name.ts';
import { OnboardingCard } from '../kind/onboarding-card.ts';
import { OtherWrite, Rejection } from './notes.ts';
import { PresentWrite } from './present.ts';
import { Wire } from './wire.ts';

/** One write: its facts shown to the human, and the value to write. Times are ISO-8601, values canonical text in the point's own unit. */
export const WriteCard = z.object({
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
  /** What the proposer asked for in another unit than that of the point. */
  askedAs: z
    .string()
    .optional()
    .meta({ examples: ['70 °F'] }),
  limits: z.object({
    min: z.number().nullable(),
    max: z.number().nullable(),
    /** Values outside of limits are refused before a card exists. */
    verdict: z.enum(['WITHIN', 'NONE_SET']),
  }),
  /** How far the current value may move before the card is renewed; null: any change renews it. */
  deadband: z.number().nullable().default(null),
  /** Facts that decide the effect on the wire (effect.ts); covered by the digest, not shown. */
  effect: z.record(z.string(), z.string()).default({}),
  /** Other writes for the point that are proposed, under way or of unknown outcome. */
  others: z.array(OtherWrite).default([]),
  /** The last equal proposal for the point that a person rejected within a day. */
  rejectedBefore: Rejection.nullable().default(null),
});
export type WriteCard = z.infer<typeof WriteCard>;

/**
 * What the human is shown and what will be written, frozen at the proposal (docs/specification/actions.md, Card and
 * digest). Of several writes its own are those of the first.
 */
export const Card = WriteCard.extend({
  version: z.literal(1),
  actionId: z.string(),
  tenantId: z.string(),
  proposerId: z.string(),
  proposerName: z.string(),
  /** Why, in the words of the proposer; empty if not given. Shown as such, and covered by the digest. */
  reason: z.string().default(''),
  expiresAt: z.string(),
  /** Several writes in their order; empty for a single one. */
  steps: z.array(WriteCard).default([]),
  /** Of a roll-out of firmware; what is said of a write is then empty, null or 'unknown'. */
  firmware: FirmwareCard.nullable().default(null),
  /** Of a rule, a maintenance, a silence or a confirmation of alarms; a write's facts are empty then, too. */
  alarm: AlarmCard.nullable().default(null),
  /** Of an endpoint that is to be that of a device; a write's facts are empty then, too. */
  onboarding: OnboardingCard.nullable().default(null),
  /** Free texts of devices and users that the proposer had read (docs/specification/actions.md, Tainted). */
  tainted: z.array(ReadText).default([]),
  /** Of a renewed card: changes since the previous card. */
  changes: z.array(z.string()).default([]),
});
export type Card = z.infer<typeof Card>;

/** Every write of a card, in the order in which they are sent. */
export const writesOf = (card: Card): readonly WriteCard[] =>
  card.steps.length === 0 ? [card] : card.steps;

/** What is written or installed, for records of one line. */
export function valuesIn(card: Card): string {
  const { firmware, alarm, onboarding } = card;
  if (firmware) return `${firmware.packageName} ${firmware.packageVersion}`;
  if (alarm) return 'content' in alarm ? alarm.condition : alarm.does;
  if (onboarding) return onboarding.endpoint;
  return writesOf(card)
    .map(({ proposedValue }) => proposedValue)
    .join(', ');
}

const aged = {
  currentAge: z.string().meta({ description: 'Age of the current value', examples: ['4 min old'] }),
};
const atPresent = {
  now: PresentWrite.nullable().describe(
    'What is known when it is read; null once it does not wait any more',
  ),
};
const onWire = {
  wire: Wire.nullable().describe('What it is on the wire; null where that was not kept'),
};
/** One write of several in the shape of all answers. */
export const WriteView = WriteCard.omit({ effect: true }).extend({
  ...aged,
  ...atPresent,
  ...onWire,
});
export type WriteView = z.output<typeof WriteView>;
/** The card in the shape of all answers. */
export const CardView = Card.omit({
  version: true,
  tenantId: true,
  effect: true,
}).extend({
  kind: z.enum(KINDS),
  ...aged,
  ...atPresent,
  ...onWire,
  steps: z.array(WriteView),
  firmware: FirmwareView.nullable().describe('Of the kind firmware, else null'),
  alarm: AlarmView.nullable().describe(
    'Of a rule, a silence, a confirmation or a maintenance, else null',
  ),
  onboarding: OnboardingCard.nullable().describe('Of the kind onboarding, else null'),
});
export type CardView = z.output<typeof CardView>;

/** SHA-256 (hex) of the card as JSON with sorted keys; a confirmation is bound to it. */
export const digestOf = (card: Card): string =>
  createHash('sha256').update(canonicalJson(card)).digest('hex');
