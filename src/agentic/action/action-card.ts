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
