import { z } from 'zod';

import { type Condition, namedIn } from './condition.ts';
import { modeWords, unitOfWindow, type Window } from './window.ts';

const Devices = z.number().int().min(1).max(100);

/** What the values of several devices come to: a number, or whether they match. */
export const Aggregate = z
  .strictObject({
    function: z
      .enum(['MEAN', 'MIN', 'MAX', 'SUM', 'COUNT', 'ALL', 'ANY', 'NONE'])
      .describe(
        'MEAN, MIN, MAX, SUM of the values, and COUNT of the devices that have one, are compared as value; ALL, ANY and NONE: which of the devices must match the condition',
      ),
    atLeast: Devices.describe('With ANY: how many devices must match; 1 without it').optional(),
    minDevices: Devices.describe(
      'With fewer devices with a value nothing is decided; 1 without it, with ALL and NONE every one',
    ).optional(),
  })
  .refine(({ function: of, atLeast }) => of === 'ANY' || atLeast === undefined, {
    path: ['atLeast'],
    error: 'is of ANY: leave it out, or write ANY',
  });
export type Aggregate = z.infer<typeof Aggregate>;
export type Quantifier = 'ALL' | 'ANY' | 'NONE';
/** Whether each device is compared, and not what the values of all come to. */
export const isQuantifier = (of: Aggregate['function']): of is Quantifier =>
  of === 'ALL' || of === 'ANY' || of === 'NONE';
export const isQuantified = (aggregate: Aggregate | undefined): boolean =>
  aggregate !== undefined && isQuantifier(aggregate.function);
/** What the values of all devices come to. */
export type NumberFunction = Exclude<Aggregate['function'], Quantifier>;

const WORDS: Record<NumberFunction, string> = {
  MEAN: 'mean of the devices',
  MIN: 'lowest of the devices',
  MAX: 'highest of the devices',
  SUM: 'sum of the devices',
  COUNT: 'number of devices with one',
};

/** What is compared of the values of several devices, for people: `mean of the devices`; empty for each by itself. */
export function aggregateWords(aggregate: Aggregate | undefined): string {
  if (!aggregate) return '';
  const { function: of, atLeast = 1 } = aggregate;
  if (!isQuantifier(of)) return WORDS[of];
  if (of === 'ALL') return 'of every device';
  if (of === 'NONE') return 'of no device';
  return atLeast === 1 ? 'of any device' : `of ${atLeast} devices at least`;
}

/** The same behind a name: ` (mean of the devices)`. */
export const ofDevices = (aggregate: Aggregate | undefined): string =>
  aggregate ? ` (${aggregateWords(aggregate)})` : '';

/** What the devices of a value were when it was decided; each is absent where it says nothing. */
type Decided = Readonly<Record<string, string | number | boolean | null>>;

/** Of how many devices, of which groups, and which: `of 4 of 5 devices of “Hall”: “Pump 1”`. */
export function devicesWords({ counted, devices, matching, groups, named }: Decided): string {
  const of = `${counted ?? 0} of ${devices ?? 0} devices${groups ? ` of ${groups}` : ''}`;
  const which = named ? `: ${named}` : '';
  return matching === undefined ? `of ${of}${which}` : `${matching ?? 0} match, of ${of}${which}`;
}

/** The unit of what a rule compares, of values with a unit, unless it says one: a number of devices, or of values, has none. */
export function unitOfCompared({ condition, window, aggregate }: Compares, unit: string): string {
  const own = 'unit' in condition ? condition.unit : undefined;
  return own ?? (aggregate?.function === 'COUNT' ? '' : unitOfWindow(window, unit));
}

type Compares = { condition: Condition; window: Window; aggregate?: Aggregate | undefined };

/** What a rule compares, for people: `value (mean of the devices) (mean over 10 min)`. */
export function comparedWords({ condition, window, aggregate }: Compares): string {
  return `${namedIn(condition)}${ofDevices(aggregate)}${modeWords(window)}`;
}
