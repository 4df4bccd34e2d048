import type { Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound } from '../../core/errors.ts';
import { flag, nameOf } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, input } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Text } from '../../core/input/text.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { NotifyHistoryTable } from '../../db/schema/alarm.ts';
import { inTenant } from '../../db/tenant.ts';
import { type Base, baseOf } from '../base-fields.ts';
import { NoticeEvent } from '../deliver/compose/notice-event.ts';
import { DeliveryStatus } from '../deliver/delivery-status.ts';
import { ChannelType } from './channel-type.ts';

/**
 * One notification to one receiver and its delivery; the two flags are numbers, with their names
 * (docs/specification/alarms.md, Enumerations).
 */
export type NotifyHistory = Base & {
  ruleId: string;
  notifyId: string;
  messageId: string;
  channelId: string;
  alarmId: string;
  channelTypeFlag: number;
  channelTypeName: keyof typeof ChannelType;
  target: string;
  /** 0 pending, 1 sent, 2 success, 3 failed, 4 retry. */
  statusFlag: number;
  statusName: keyof typeof DeliveryStatus;
  eventFlag: keyof typeof NoticeEvent;
  /** Same id at every attempt; webhook receivers get it as `webhook-id`. */
  deliveryId: string;
  requestExt: Record<string, unknown>;
  responseExt: Record<string, unknown>;
  errorMessage: string;
  retryCount: number;
  nextTryTime: string | null;
};

const historyOf = (row: Selectable<NotifyHistoryTable>): NotifyHistory => ({
  ...baseOf(row),
  ruleId: row.ruleId,
  notifyId: row.notifyId,
  messageId: row.messageId,
  channelId: row.channelId,
  alarmId: row.alarmId,
  channelTypeFlag: row.channelTypeFlag,
  channelTypeName: nameOf(ChannelType, row.channelTypeFlag),
  target: row.target,
  statusFlag: row.statusFlag,
  statusName: nameOf(DeliveryStatus, row.statusFlag),
  eventFlag: nameOf(NoticeEvent, row.eventFlag),
  deliveryId: row.deliveryId,
  requestExt: row.requestExt,
  responseExt: row.responseExt,
  errorMessage: row.errorMessage,
  retryCount: row.retryCount,
  nextTryTime: row.nextTryTime?.toISOString() ?? null,
});

export const HistoryQuery = input({
  page: Page,
  ruleId: Id.optional(),
  notifyId: Id.optional(),
  messageId: Id.optional(),
  channelId: Id.optional(),
  alarmId: Id.optional(),
  channelTypeFlag: flag(ChannelType).optional(),
  target: Text(256).optional(),
  statusFlag: flag(DeliveryStatus).optional(),
});
type HistoryQuery = z.infer<typeof HistoryQuery>;

export const byId: Operation<ById, NotifyHistory> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    const row = await q
      .selectFrom('svc_notify_history')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new NotFound('Notification');
    return historyOf(row);
  });

/** Newest first. */
export const page: Operation<HistoryQuery, Paged<NotifyHistory>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_notify_history').selectAll().where('tenantId', '=', tenantId);
    for (const name of ['ruleId', 'notifyId', 'messageId', 'channelId', 'alarmId'] as const) {
      const value = given[name];
      if (value !== undefined) query = query.where(name, '=', value);
    }
    for (const name of ['channelTypeFlag', 'statusFlag'] as const) {
      const value = given[name];
      if (value !== undefined) query = query.where(name, '=', value);
    }
    if (given.target) query = query.where('target', 'ilike', contains(given.target));
    return pageOf(query.orderBy('createTime', 'desc').orderBy('id', 'desc'), given.page, historyOf);
  });
