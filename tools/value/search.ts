import { z } from 'zod';

import { search, units, type ValueNow } from '../../src/data/silence/value-search.ts';
import { Text } from '../../src/kernel/input/text.ts';
import { inZone } from '../../src/kernel/sentence/time-zone.ts';
import { type Finder, withNames } from '../../src/manager/find/resolve.ts';
import { cutTo, maxTokens } from '../shape/budget.ts';
import { defineTool, READS } from '../shape/define.ts';
import { Ref } from '../shape/ref.ts';
import { NameOf, Phrase, Reported, Unit } from '../shape/text.ts';

/** A row of the shortest names is longer. */
const MIN_ROW_TOKENS = 10;

const COLUMNS = ['device', 'point', 'value', 'unit', 'ageS', 'why'] as const;
/** By COLUMNS; the last two may be missing. */
const Row = z.tuple([
  NameOf('device'),
  NameOf('point'),
  z.union([Reported(64), z.number(), z.boolean(), z.null()]),
  Unit,
  z.number().nullable(),
  Phrase(400).nullish(),
  z.boolean().optional(),
]);

const Cursor = z
  .string()
  .refine((text) => /^\d{1,19}\.\d{1,19}$/.test(text), 'must be a nextCursor');

export const searchTool = defineTool({
  name: 'searchPointValues',
  title: 'Search latest values',
  domain: 'Point value',
  listed: 'direct',
  description:
    'Lists latest values of many points, with their age and why one is missing, old or not good. Filters narrow it.',
  permission: 'svc-center-data:point_value:list',
  scope: 'svc:read',
  input: z.strictObject({
    device: Ref.optional().describe('Id, or words of names: "boiler"'),
    group: Ref.optional().describe('Id or name'),
    label: Ref.optional().describe('Id or name'),
    point: Text(64).optional().describe('Words of the point name'),
    unit: Text(32).min(1).optional().describe('Its unit'),
    quality: z.enum(['GOOD', 'UNCERTAIN', 'BAD', 'NONE']).optional().describe('Quality now'),
    olderThanS: z.number().min(0).optional().describe('Older, or none'),
    writable: z.boolean().default(false).describe('Add a column'),
    cursor: Cursor.optional().describe('nextCursor'),
    ...maxTokens,
  }),
  output: z.object({
    asOf: z.string(),
    total: z.int(),
    returned: z.int().optional(),
    columns: z.array(z.string()),
    rows: z.array(Row),
    nextCursor: z.string().optional(),
    units: z.array(Unit).optional(),
  }),
  annotations: READS,
  async run(app, caller, { device, group, label, point, unit, cursor, writable, ...input }) {
    const [deviceId = '', pointId = ''] = cursor?.split('.') ?? [];
    const { total, values } = await withNames(app, caller, async (find) =>
      search(app, caller, {
        deviceIds: device === undefined ? undefined : await devicesOf(find, device),
        groupId: group === undefined ? undefined : await find.one('group', group),
        labelId: label === undefined ? undefined : await find.one('label', label),
        pointName: point,
        unit,
        quality: input.quality,
        olderThanS: input.olderThanS,
        after: cursor === undefined ? undefined : { deviceId, pointId },
        limit: Math.ceil(input.maxTokens / MIN_ROW_TOKENS) + 1,
      }),
    );
    const all = values.map((value, at) => rowOf(value, writable, values[at - 1]));
    const { rows } = cutTo(all, input.maxTokens);
    const last = rows.length < values.length ? values[rows.length - 1] : undefined;
    return {
      asOf: inZone(app.clock.now(), caller.timezone),
      total,
      returned: rows.length,
      columns: writable ? [...COLUMNS, 'writable'] : [...COLUMNS],
      rows,
      ...(last && { nextCursor: `${last.deviceId}.${last.pointId}` }),
      // Of none, the units that there are: the one that was asked for may have another name here.
      ...(total === 0 && unit !== undefined && { units: await units(app, caller) }),
    };
  },
});

/** One by its id, or all that have the words; of none, the refusal says what is near. */
async function devicesOf(find: Finder, given: string): Promise<string[]> {
  const ids = /^\d+$/.test(given) ? [] : await find.devices(given);
  return ids.length > 0 ? ids : [await find.one('device', given)];
}

/** What is missing at the end of a row is left out: most have no reason. */
function rowOf(
  value: ValueNow,
  withWritable: boolean,
  before: ValueNow | undefined,
): z.input<typeof Row> {
  const { deviceName, pointName, unit, ageS, writable } = value;
  const row = [deviceName, pointName, value.value, unit, ageS] as const;
  const why = value.why && reasonAfter(before, value.why, value.deviceId);
  if (withWritable) return [...row, why, writable];
  return why === null ? [...row] : [...row, why];
}

/** The row before says the whole reason, if it is the same of the same device: then its beginning is enough. */
function reasonAfter(before: ValueNow | undefined, why: string, deviceId: string): string {
  if (before?.deviceId !== deviceId || before.why !== why) return why;
  return why.split(/;| \(/, 1).join('');
}
