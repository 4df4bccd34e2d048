import { z } from 'zod';

import type { Normal } from '../../src/data/digest/normal.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { NotFound, Unprocessable } from '../../src/kernel/errors.ts';
import { onFirstUse } from '../../src/kernel/first-use.ts';

const reading = onFirstUse(() => import('../../src/data/digest/normal.ts'));

export const NormalRange = z
  .object({ low: z.number(), high: z.number(), days: z.int(), hour: z.string().optional() })
  .describe('Of 90 % of these days');

type Asked = { deviceId: string; pointId: string; at?: number };

/** In what range a point usually is, as a part of an answer: none where that is not known, or its point is gone. */
export async function normalRange(
  app: App,
  caller: Caller,
  asked: Asked,
): Promise<{ normal?: z.output<typeof NormalRange> }> {
  const { normalOf } = await reading();
  try {
    const normal = await normalOf(app, caller, asked);
    return normal === null ? {} : { normal: shown(normal) };
  } catch (error) {
    if (error instanceof NotFound || error instanceof Unprocessable) return {};
    throw error;
  }
}

const shown = ({ low, high, days, hour }: Normal) => ({
  low,
  high,
  days,
  ...(hour !== null && { hour: `${two(hour)}:00-${two((hour + 1) % 24)}:00` }),
});

const two = (hour: number): string => String(hour).padStart(2, '0');
