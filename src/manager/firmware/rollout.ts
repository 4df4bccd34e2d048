import { type Expression, sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { onPage, pageOf } from '../../db/query-page.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { Int8, MaybeTime, stored } from '../../kernel/entity/answer.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { type ById, input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';

const STATUS = ['PROPOSED', 'REJECTED', 'RUNNING', 'PAUSED', 'STOPPED', 'DONE'] as const;

/** A package on its way to many devices. */
export const Rollout = stored('FirmwareRollout', {
  rolloutName: z.string().meta({ examples: ['Valves to 2.4.1'] }),
  packageId: z.string().meta({ examples: ['7312'] }),
  packageName: z.string(),
  packageVersion: z.string().meta({ examples: ['2.4.1'] }),
  size: Int8.describe('Bytes'),
  sha256: z.string(),
  packageUri: z.string().describe('Where the devices fetch it; empty: its bytes are sent'),
  waveSize: z.number().int(),
  failurePercent: z
    .number()
    .int()
    .describe('Share of the devices of the waves begun whose failure stops it'),
  minutes: z.number().int().describe('How long one device may take'),
  status: z.enum(STATUS),
  why: z.string().describe('Why it stopped'),
  held: z.string().describe('Why it begins no more devices now; empty: it goes on'),
  actionId: z
    .string()
    .nullable()
    .describe('Of the proposal that was confirmed; null: begun by a person'),
  total: z.number().int().describe('Devices'),
  wave: z.number().int().describe('Waves begun'),
  expireTime: MaybeTime.describe('Of a proposal of before: proposals are actions now'),
  endTime: MaybeTime,
});
export type Rollout = z.output<typeof Rollout.schema>;

export const UPDATE_STATUS = [
  'PROPOSED',
  'WAITING',
  'BEGUN',
  'SENDING',
  'DOWNLOADED',
  'UPDATING',
  'VERIFIED',
  'FAILED',
  'MISMATCH',
  'UNKNOWN',
  'CANCELLED',
] as const;
type UpdateStatus = (typeof UPDATE_STATUS)[number];

const count = z.number().int();
const Counts = z.object({
  PROPOSED: count,
  WAITING: count,
  BEGUN: count,
  SENDING: count,
  DOWNLOADED: count,
  UPDATING: count,
  VERIFIED: count,
  FAILED: count,
  MISMATCH: count,
  UNKNOWN: count,
  CANCELLED: count,
} satisfies Record<UpdateStatus, z.ZodType>);
type Counts = z.output<typeof Counts>;

export const RolloutWithCounts = Rollout.schema
  .extend({
    devices: Counts.describe('How many devices have which status'),
  })
  .meta({ id: 'FirmwareRolloutWithCounts' });
export type RolloutWithCounts = z.output<typeof RolloutWithCounts>;

export const RolloutQuery = input({
  page: Page,
  status: z.enum(STATUS).optional(),
});

/** How many devices of these roll-outs have which status. */
async function countsOf(
  q: Queries,
  tenantId: string,
  ids: Expression<unknown>,
): Promise<(id: string) => Counts> {
  const rows = await q
    .selectFrom('svc_firmware_update')
    .select((eb) => ['rolloutId', 'status', eb.fn.countAll<string>().as('count')])
    .where('tenantId', '=', tenantId)
    .where(sql<boolean>`rollout_id = any(array(${ids}))`)
    .groupBy(['rolloutId', 'status'])
    .execute();
  return (id) => {
    const counts = none();
    for (const row of rows) if (row.rolloutId === id) counts[row.status] = Number(row.count);
    return counts;
  };
}

const none = (): Counts => ({
  PROPOSED: 0,
  WAITING: 0,
  BEGUN: 0,
  SENDING: 0,
  DOWNLOADED: 0,
  UPDATING: 0,
  VERIFIED: 0,
  FAILED: 0,
  MISMATCH: 0,
  UNKNOWN: 0,
  CANCELLED: 0,
});

/** Newest first. */
export const page: Operation<z.output<typeof RolloutQuery>, Paged<RolloutWithCounts>> = (
  app,
  { tenantId },
  { page: wanted, status },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    let all = q
      .selectFrom('svc_firmware_rollout')
      .where('tenantId', '=', tenantId)
      .orderBy('id', 'desc');
    if (status) all = all.where('status', '=', status);
    const ids = onPage(all.select('id'), wanted);
    const [found, countsFor] = await Promise.all([
      pageOf(all.selectAll(), wanted, Rollout.of),
      countsOf(q, tenantId, ids),
    ]);
    const records = found.records.map((one) => ({ ...one, devices: countsFor(one.id) }));
    return { ...found, records };
  });

/** Throws NotFound. */
export const byId: Operation<ById, RolloutWithCounts> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [row, countsFor] = await Promise.all([
      rowOf(q, 'svc_firmware_rollout', tenantId, id),
      countsOf(q, tenantId, sql`select ${id}::bigint`),
    ]);
    return { ...Rollout.of(row), devices: countsFor(id) };
  });
