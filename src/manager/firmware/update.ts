import { z } from 'zod';

import { pageOf } from '../../db/query-page.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, answer, Int8, MaybeTime } from '../../kernel/entity/answer.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { UPDATE_STATUS } from './rollout.ts';

/** What becomes of one device of a roll-out. */
export const FirmwareUpdate = answer('FirmwareUpdate', {
  rolloutId: AnswerId,
  deviceId: AnswerId,
  deviceName: z.string().nullable().describe('null: the device was deleted'),
  position: z.number().int(),
  wave: z.number().int().describe('0: not begun'),
  status: z
    .enum(UPDATE_STATUS)
    .describe(
      'VERIFIED: the device runs the version; MISMATCH: it runs another one; UNKNOWN: nothing says what became of it',
    ),
  sentBytes: Int8,
  objectState: z
    .number()
    .int()
    .nullable()
    .describe('State of object 5, read last: 0 idle, 1 downloading, 2 downloaded, 3 updating'),
  updateResult: z.number().int().nullable().describe('Update Result of object 5, read last'),
  versionBefore: z.string().nullable(),
  versionNow: z.string().nullable().describe('What the device said last that it runs'),
  pushes: z.number().int().describe('How often the package was sent'),
  executions: z.number().int().describe('How often the device was ordered to install it'),
  message: z.string(),
  code: z
    .string()
    .describe('Why it was not begun: DEVICE_CHANGED, DEVICE_DISABLED, DEVICE_GONE; else empty'),
  beginTime: MaybeTime,
  heardTime: MaybeTime,
  dueTime: MaybeTime,
  endTime: MaybeTime,
  endedAs: z
    .enum(['UNKNOWN', 'MISMATCH'])
    .nullable()
    .describe('The status at endTime, where what the device said later has corrected it'),
  correction: z.string().describe('What corrected it; empty: nothing'),
  correctedTime: MaybeTime,
});
type FirmwareUpdate = z.output<typeof FirmwareUpdate.schema>;

export const UpdateQuery = input({
  page: Page,
  rolloutId: Id,
  status: z.enum(UPDATE_STATUS).optional(),
});

/** The devices of a roll-out in the order in which they begin. Throws NotFound. */
export const page: Operation<z.output<typeof UpdateQuery>, Paged<FirmwareUpdate>> = (
  app,
  { tenantId },
  { page: wanted, rolloutId, status },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    let all = q
      .selectFrom('svc_firmware_update as u')
      .leftJoin('svc_device as d', (join) =>
        join.onRef('d.tenantId', '=', 'u.tenantId').onRef('d.id', '=', 'u.deviceId'),
      )
      .selectAll('u')
      .select('d.deviceName')
      .where('u.tenantId', '=', tenantId)
      .where('u.rolloutId', '=', rolloutId)
      .orderBy('u.position');
    if (status) all = all.where('u.status', '=', status);
    const [found] = await Promise.all([
      pageOf(all, wanted, FirmwareUpdate.of),
      rowOf(q, 'svc_firmware_rollout', tenantId, rolloutId),
    ]);
    return found;
  });
