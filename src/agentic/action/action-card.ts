import { createHash } from 'node:crypto';

import { z } from 'zod';

/**
 * What the human is shown and what will be written, frozen at the proposal (DESIGN.md, Agents).
 * Times are ISO-8601, values canonical text in the point's own unit.
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
  /** The point's latest value when the card was made; null when none is known. */
  currentValue: z.string().nullable(),
  currentTime: z.string().nullable(),
  proposedValue: z.string(),
  limits: z.object({
    min: z.number().nullable(),
    max: z.number().nullable(),
    /** Values outside of limits are refused before a card exists. */
    verdict: z.enum(['WITHIN', 'NONE_SET']),
  }),
  expiresAt: z.string(),
});
export type Card = z.infer<typeof Card>;

/** The card as it leaves the platform. */
export type ShownCard = Omit<Card, 'version' | 'tenantId'>;

/** SHA-256 (hex) of the card as JSON with sorted keys: what a confirmation is bound to. */
export const digestOf = (card: Card): string =>
  createHash('sha256').update(canonical(card)).digest('hex');

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`);
  return `{${entries.join(',')}}`;
}

/** Whether two values of a point differ beyond what rounding to `decimals` explains. */
export function differs(one: string | null, other: string | null, decimals: number): boolean {
  if (one === other) return false;
  if (one === null || other === null) return true;
  const [a, b] = [Number(one), Number(other)];
  if (!Number.isFinite(a) || !Number.isFinite(b) || one.trim() === '' || other.trim() === '') {
    return true;
  }
  const rounding = 0.5 * 10 ** -decimals;
  const floating = 1e-9 * Math.max(Math.abs(a), Math.abs(b));
  return Math.abs(a - b) > Math.max(rounding, floating);
}

/** One sentence of what is proposed; its names and values come from the database. */
export function summaryOf(card: ShownCard): string {
  const unit = card.unit ? ` ${card.unit}` : '';
  const now = card.currentValue === null ? 'not known' : `${card.currentValue}${unit}`;
  const offline = card.deviceStatus === 'offline' ? ' The device is offline now.' : '';
  return (
    `Set ${card.pointName} of ${card.deviceName} to ${card.proposedValue}${unit} (now ${now}). ` +
    `Not executed: it waits for a human to confirm it until ${card.expiresAt}.${offline}`
  );
}

/** The Markdown block the server itself appends to an answer. */
export function markdownOf(card: ShownCard, base: string): string {
  const unit = card.unit ? ` ${plain(card.unit)}` : '';
  const now = card.currentValue === null ? 'not known' : `${plain(card.currentValue)}${unit}`;
  return [
    '\n\n---',
    '**Waiting for confirmation** (nothing has been written)',
    '',
    `- Device: ${plain(card.deviceName)} (${card.deviceStatus})`,
    `- Point: ${plain(card.pointName)}`,
    `- Now: ${now}`,
    `- Proposed: **${plain(card.proposedValue)}${unit}**`,
    `- Expires: ${card.expiresAt}`,
    `- Action: \`${card.actionId}\``,
    '',
    'Only a human decides, with an interactive login of their own:',
    `POST ${base}/api/v3/agentic/action/confirm with \`{"action_id":"${card.actionId}"}\``,
    '(or `/action/reject`).',
    '',
  ].join('\n');
}

/** Text from devices and users cannot become Markdown, a link or a hidden character. */
export const plain = (text: string): string =>
  text
    .slice(0, 200)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD')
    // A dot between digits is a number's; any other could make an address clickable.
    .replaceAll(/[\\`*_{}[\]()<>#!|~&:@/]|(?<!\d)\.|\.(?!\d)/g, (character) => `\\${character}`);
