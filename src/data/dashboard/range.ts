import { z } from 'zod';

import { type PlantTime, lastDays, midnight } from './calendar.ts';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** A dashboard looks back 90 days at most (docs/specification/dashboards.md). */
export const MAX_DAYS = 90;

type Bounds = { least?: number; most: number; fallback: number };

/** A whole number of a query, moved into its bounds instead of being refused. */
export const clamped = ({ least = 1, most, fallback }: Bounds) =>
  z.coerce
    .number()
    .int()
    .default(fallback)
    .transform((given) => Math.min(Math.max(given, least), most))
    .meta({ description: `From ${least} to ${most}`, examples: [fallback] });

/** The last hours, or a named range instead; `today` begins at midnight of the plant. */
export const rangeOf = (hours: number) => ({
  rangeHours: clamped({ most: MAX_DAYS * DAY_HOURS, fallback: hours }),
  rangeKey: z.enum(['today', '24h', '7d', '30d']).optional(),
});
/** The last days of the plant, today included, or a named range instead. */
export const daysOf = (days: number) => ({
  days: clamped({ most: MAX_DAYS, fallback: days }),
  rangeKey: z.enum(['today', '24h', '7d', '30d']).optional(),
});

type Key = 'today' | '24h' | '7d' | '30d' | undefined;

const hours = { '24h': 24, '7d': 168, '30d': 720 } as const;
/** 24 hours touch two days. */
const dayCounts = { today: 1, '24h': 2, '7d': 7, '30d': 30 } as const;

/** When a range of hours begins (ms). */
export function rangeStart(given: { rangeHours: number; rangeKey?: Key }, here: PlantTime): number {
  if (given.rangeKey === 'today') return midnight(here);
  return here.now - (given.rangeKey ? hours[given.rangeKey] : given.rangeHours) * HOUR_MS;
}

/** How many days of the plant a range of days shows. */
export const dayCount = ({ days, rangeKey }: { days: number; rangeKey?: Key }): number =>
  rangeKey ? dayCounts[rangeKey] : days;

/** When a range of days begins (ms): at the midnight of its first day, or the hours of its name ago. */
export function daysStart({ days, rangeKey }: { days: number; rangeKey?: Key }, here: PlantTime) {
  if (rangeKey) return rangeStart({ rangeHours: 0, rangeKey }, here);
  return lastDays(here, days)[0] ?? here.now;
}
