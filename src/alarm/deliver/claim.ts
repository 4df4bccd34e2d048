import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import type { Notice } from '../channel/channel.ts';
import { allowing, DeliveryStatus } from '../kind/delivery-status.ts';
import type { StoredChannel } from './send-by.ts';

/** A delivery ends within 15 s; a row that is SENT for longer than this belongs to a crashed dispatcher. */
const LEASE_MS = 30_000;

export type Task = { tenantId: string; channelId: string; id: string };

/** A row that only this dispatcher may send until `lease`. */
export type Claimed = Task & {
  deliveryId: string;
  retryCount: number;
  lease: Date;
  /** Null if the channel is deleted or disabled. */
  channel: StoredChannel | null;
  /** Null if the stored request cannot be parsed. */
  request: Request | null;
};

const text = z.string();
const Stored = z.object({
  title: text,
  text,
  notice: z.object({
    event: z.enum(['fired', 'recovered']),
    tenantId: text,
    alarmId: text,
    ruleId: text,
    ruleName: text,
    level: z.enum(['P0', 'P1', 'P2', 'P3']),
    target: z.enum(['POINT', 'DEVICE', 'DRIVER', 'EVENT']),
    entityId: text,
    deviceId: text,
    deviceName: text,
    pointId: text,
    pointName: text,
    message: text,
    occurTime: text,
  }) satisfies z.ZodType<Notice>,
});
type Request = z.infer<typeof Stored>;

/**
 * Claims a due row with one conditional update, so that exactly one dispatcher gets it; null for the others.
 * A row left by a crashed dispatcher counts as one attempt.
 */
export async function claim(
  q: Queries,
  { tenantId, id }: Task,
  now: number,
): Promise<Claimed | null> {
  const lease = new Date(now + LEASE_MS);
  const row = await q
    .updateTable('svc_notify_history')
    .set({
      statusFlag: DeliveryStatus.SENT,
      retryCount: sql<number>`retry_count + case status_flag when ${DeliveryStatus.SENT} then 1 else 0 end`,
      nextTryTime: lease,
      operateTime: new Date(now),
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('statusFlag', 'in', allowing('send'))
    .where('nextTryTime', '<=', new Date(now))
    .returning(['channelId', 'deliveryId', 'retryCount', 'target', 'requestExt'])
    .executeTakeFirst();
  if (!row) return null;
  const { channelId, deliveryId, retryCount, requestExt } = row;
  const channel = await channelOf(q, tenantId, channelId);
  // Record the actual receiver: the channel may have a new target, and its credential belongs to that one.
  if (channel && channel.target !== row.target)
    await q
      .updateTable('svc_notify_history')
      .set({ target: channel.target })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  const request = Stored.safeParse(requestExt).data ?? null;
  return { id, tenantId, channelId, deliveryId, retryCount, lease, channel, request };
}

async function channelOf(q: Queries, tenantId: string, id: string): Promise<StoredChannel | null> {
  const row = await q
    .selectFrom('svc_notify_channel')
    .select(['id', 'channelTypeFlag as type', 'target', 'credential', 'channelExt as ext'])
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('enableFlag', '=', EnableFlag.ENABLE)
    .executeTakeFirst();
  return row ?? null;
}
