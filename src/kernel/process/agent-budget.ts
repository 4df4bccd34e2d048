import { z } from 'zod';

/** What agents use up; `outputTokens` are about those of their answers. */
export const BUDGETS = ['calls', 'deviceReads', 'proposals', 'outputTokens'] as const;
export type Budget = (typeof BUDGETS)[number];
/** Of an hour; null: no limit. */
export type Limits = Record<Budget, number | null>;

const Limit = z.number().int().min(0).max(1_000_000_000).nullable();
/** Some limits, as given over REST and stored with a connection. */
export const Budgets = z.strictObject({
  calls: Limit.exactOptional(),
  deviceReads: Limit.exactOptional(),
  proposals: Limit.exactOptional(),
  outputTokens: Limit.exactOptional(),
});

export const OF_CONNECTION: Limits = {
  calls: 6_000,
  deviceReads: 600,
  proposals: 120,
  outputTokens: 3_000_000,
};
export const OF_PRINCIPAL: Limits = {
  calls: 12_000,
  deviceReads: 1_200,
  proposals: 240,
  outputTokens: 6_000_000,
};

const FORM = `must be a comma list of ${BUDGETS.join(', ')}, each with = and a whole number or none`;

/** `calls=500,proposals=none`: what is not named has its default. */
export const limitsLike = (usual: Limits) =>
  z
    .string()
    .transform((text, context) => {
      const limits = { ...usual };
      for (const part of text.split(',')) {
        const [, name, given = ''] = /^\s*(\w+)=(none|\d{1,12})\s*$/.exec(part) ?? [];
        const budget = BUDGETS.find((one) => one === name);
        if (budget === undefined) {
          context.addIssue(FORM);
          return z.NEVER;
        }
        limits[budget] = given === 'none' ? null : Number(given);
      }
      return limits;
    })
    .optional()
    .transform((limits) => limits ?? usual);
