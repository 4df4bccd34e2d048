import { z } from 'zod';

import type { Usage } from '../../../providers/request/provider.ts';

const Amount = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,6})?$/, 'must be a decimal with at most 6 places')
  .meta({ examples: ['2.50'] });

/** What a model costs for a million tokens, and the currency as the tenant writes it. */
export const Price = z.strictObject({
  prompt: Amount,
  cached: Amount.optional().describe(
    'Of prompt tokens that the vendor had cached; as prompt when left out',
  ),
  completion: Amount,
  currency: z
    .string()
    .trim()
    .min(1)
    .max(8)
    .meta({ examples: ['EUR'] }),
});
export type Price = z.output<typeof Price>;

/** A stored price; null where there is none. */
export const priceOf = (stored: unknown): Price | null => Price.safeParse(stored).data ?? null;

const PLACES = 9;
const PER_MILLION = 1_000_000n;

/** Billionths of the currency for a million tokens. */
const billionths = (amount: string): bigint => {
  const [whole = '0', part = ''] = amount.split('.');
  return BigInt(whole + part.padEnd(PLACES, '0'));
};

/** The cost of tokens as a decimal with nine places, rounded up; exact, whatever the amounts are. */
export function costOf(
  { promptTokens, completionTokens, cachedTokens = 0 }: Usage,
  { prompt, cached = prompt, completion }: Price,
): string {
  const fresh = Math.max(0, promptTokens - cachedTokens);
  const sum =
    BigInt(Math.round(fresh)) * billionths(prompt) +
    BigInt(Math.round(Math.min(cachedTokens, promptTokens))) * billionths(cached) +
    BigInt(Math.round(completionTokens)) * billionths(completion);
  const units = (sum + PER_MILLION - 1n) / PER_MILLION;
  const digits = units.toString().padStart(PLACES + 1, '0');
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}
