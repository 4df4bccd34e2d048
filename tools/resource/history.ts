import { z } from 'zod';

import { Cursor, history } from '../../src/data/value/history.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { Id } from '../../src/kernel/input/id.ts';
import { Reported } from '../shape/text.ts';
import { defineResource } from './define.ts';

const MAX_SHOWN = 40;
const PERMISSION = 'svc-center-data:point_value:list';

const StoredValue = z.object({
  createTime: z.string(),
  value: Reported(64),
  quality: z.string(),
  cursor: z.string(),
});
const StoredValues = z.object({
  deviceId: z.string(),
  pointId: z.string(),
  returned: z.int(),
  truncated: z.boolean(),
  next: z.string().nullable().describe('URI of the older ones; null: nothing is left'),
  records: z.array(StoredValue),
});
type StoredValues = z.infer<typeof StoredValues>;

const pair = {
  deviceId: Id.describe('Device id'),
  pointId: Id.describe('Point id, of its profile'),
};
type Pair = { deviceId: string; pointId: string };

async function pageOf(
  app: App,
  caller: Caller,
  { deviceId, pointId, cursor }: Pair & { cursor?: z.output<typeof Cursor> },
): Promise<StoredValues> {
  const found = await history(app, caller, {
    deviceId,
    pointId,
    count: MAX_SHOWN + 1,
    ...(cursor ? { cursor } : {}),
  });
  const records = found.slice(0, MAX_SHOWN).map((row) => ({ ...row, value: row.calValue }));
  const truncated = found.length > MAX_SHOWN;
  return { deviceId, pointId, returned: records.length, truncated, next: null, records };
}

const next = (last: unknown, given: Record<string, unknown>): string =>
  `svc://device/${String(given['deviceId'])}/point/${String(given['pointId'])}/history/before/${StoredValue.parse(last).cursor}`;

export const historyResources = [
  defineResource({
    uri: 'svc://device/{deviceId}/point/{pointId}/history',
    name: 'point-history',
    title: 'Stored values of a point',
    domain: 'Point value',
    description:
      'The stored values of a point of a device in the last 30 days, newest first; `next` leads to the older ones.',
    permission: PERMISSION,
    params: z.strictObject(pair),
    output: StoredValues,
    next,
    read: pageOf,
  }),
  defineResource({
    uri: 'svc://device/{deviceId}/point/{pointId}/history/before/{cursor}',
    name: 'older-point-history',
    title: 'Older stored values of a point',
    domain: 'Point value',
    description: 'The stored values behind the one whose cursor is named.',
    permission: PERMISSION,
    params: z.strictObject({ ...pair, cursor: Cursor.describe('Of a stored value') }),
    output: StoredValues,
    next,
    read: pageOf,
  }),
];
