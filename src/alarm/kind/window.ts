import { z } from 'zod';

import { Duration, durationMs, durationWords } from './duration.ts';

const MODES = ['LAST', 'MEAN', 'MIN', 'MAX', 'SUM', 'COUNT', 'RATE', 'DELTA'] as const;
const MAX_SAMPLES = 10_000;
const Samples = z.number().int().min(1).max(MAX_SAMPLES);
const DEFAULT_PER = 'PT1H';

/** What a condition compares: the last value, or what its values in a time come to. */
export const Window = z
  .object({
    mode: z
      .enum(MODES)
      .default('LAST')
      .describe(
        'LAST compares each value; the others what the values of `duration` come to: RATE is their change in the time of `per`, DELTA their change',
      ),
    duration: Duration.describe(
      'With LAST how long the condition must match, without it one fact is enough; with other modes the time whose values count',
    ).optional(),
    minSamples: z
      .unknown()
      .describe(
        'With fewer values in `duration` nothing is decided: 1, or 2 for RATE and DELTA, unless it is given; with LAST kept, without effect',
      )
      .optional(),
    hold: Duration.describe('How long a condition on other modes than LAST must match').optional(),
    maxGap: Duration.describe(
      'The longest time without a value in which what must match, or recover, for a time still does: after it that time begins anew; without it the last value counts until the next',
    ).optional(),
    per: Duration.describe('The time in which RATE is the change; PT1H without it').optional(),
  })
  .refine(
    ({ mode, minSamples }) => mode === 'LAST' || Samples.optional().safeParse(minSamples).success,
    {
      path: ['minSamples'],
      error: `must be a whole number from 1 to ${MAX_SAMPLES}`,
    },
  );
export type Window = z.infer<typeof Window>;
type Mode = Window['mode'];

/** How long a condition must match. */
export const holdOf = ({ mode, duration, hold }: Window): string | undefined =>
  mode === 'LAST' ? duration : hold;

export const holdMs = (window: Window): number => durationMs(holdOf(window) ?? 'PT0S') ?? 0;

/** Values that a window needs. */
export function samplesNeeded({ mode, minSamples }: Window): number {
  const least = mode === 'RATE' || mode === 'DELTA' ? 2 : 1;
  return Math.max(least, Samples.safeParse(minSamples).data ?? least);
}

export const perMs = ({ per = DEFAULT_PER }: Window): number => durationMs(per) ?? 0;

/** The time of a rate for people: `h`, `30 min`. */
const perWords = ({ per = DEFAULT_PER }: Window): string => durationWords(per).replace(/^1 /, '');

/** What is compared of a value, after its name: ` (mean over 10 min)`; empty of the last one. */
export function modeWords({ mode, duration = '' }: Window): string {
  return mode === 'LAST' ? '' : ` (${WORDS[mode]} over ${durationWords(duration)})`;
}

const WORDS: Record<Exclude<Mode, 'LAST'>, string> = {
  MEAN: 'mean',
  MIN: 'lowest',
  MAX: 'highest',
  SUM: 'sum',
  COUNT: 'count',
  RATE: 'rate',
  DELTA: 'change',
};

/** The unit of what a window comes to, of values with a unit. */
export function unitOfWindow(window: Window, unit: string): string {
  if (window.mode === 'COUNT') return '';
  return window.mode === 'RATE' ? `${unit} per ${perWords(window)}`.trimStart() : unit;
}
