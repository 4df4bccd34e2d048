import { z } from 'zod';

import { NoRawValue, type Scaling, unscale } from '../../../bus/scaling.ts';
import { AttributeType } from '../../../bus/topic/topics.ts';
import type { CheckedWrite } from '../../../data/write/write-check.ts';
import { type Facts, isHidden, settingFacts } from '../../../manager/entity/setting-facts.ts';

/** What a write is on the wire, from the facts that its digest covers. */
export const Wire = z
  .object({
    driver: z.string().meta({ examples: ['LwM2mDriver (2)'] }),
    settings: z
      .array(
        z.object({
          name: z.string().meta({ examples: ['point setting path'] }),
          value: z.string().nullable().describe('null: a secret'),
        }),
      )
      .describe('Where it goes on the device, as its driver is configured'),
    raw: z
      .string()
      .nullable()
      .meta({ examples: ['725'] })
      .describe('What the device gets, after scaling; null: no raw value gives the proposed one'),
    scaling: z
      .string()
      .meta({ examples: ['raw × 0.1 + 0'] })
      .describe(
        'How a raw value becomes one in the unit of the point; empty for text and switches',
      ),
  })
  .meta({ id: 'Wire' });
export type Wire = z.output<typeof Wire>;

const SETTING = /^(device|point) setting /;

/** Null for a card without facts. */
export function wireOf(facts: Facts, value: string): Wire | null {
  const { driver, type: given, base, multiple, decimals } = facts;
  const type = AttributeType.safeParse(given);
  if (driver === undefined || !type.success) return null;
  const isNumber = type.data !== 'STRING' && type.data !== 'BOOLEAN';
  return {
    driver,
    settings: Object.entries(facts)
      .filter(([name]) => SETTING.test(name))
      .map(([name, text]) => ({ name, value: isHidden(text) ? null : text })),
    raw: rawOf(
      {
        type: type.data,
        base: Number(base),
        multiple: Number(multiple),
        decimals: Number(decimals),
      },
      value,
    ),
    scaling: isNumber ? `raw × ${multiple} + ${base}` : '',
  };
}

function rawOf(scaling: Scaling, value: string): string | null {
  try {
    return unscale(scaling, value);
  } catch (error) {
    if (error instanceof NoRawValue) return null;
    throw error;
  }
}

/** Facts of a checked write that decide its effect, as its card stores them. */
export const factsOf = ({ device, point, driver, settings }: CheckedWrite, key: Buffer): Facts => ({
  driver: `${driver.driverCode} (${driver.id})`,
  profile: device.profileId,
  type: point.pointTypeFlag,
  access: point.rwFlag,
  base: String(point.baseValue),
  multiple: String(point.multiple),
  decimals: String(point.valueDecimal),
  'lower limit': String(point.minValue ?? ''),
  'upper limit': String(point.maxValue ?? ''),
  ...settingFacts('device', settings.device, key),
  ...settingFacts('point', settings.point, key),
});
