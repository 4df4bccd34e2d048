import type { Selectable } from 'kysely';
import { z } from 'zod';

import { pageOf } from '../../db/query-page.ts';
import type { NotifyHistoryTable } from '../../db/schema/alarm.ts';
import { listTotal } from '../../db/tenant-total.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Caller, Operation } from '../../kernel/app/app.ts';
import {
  AnswerExt,
  AnswerId,
  MaybeTime,
  named,
  numbered,
  stored,
} from '../../kernel/entity/answer.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { flag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { ChannelType, DeliveryStatus, HistoryEvent } from '../kind/delivery-status.ts';
import { maskedFor, seesTargets } from './masked-target.ts';

/**
 * One notification to one receiver and its delivery; the two flags are numbers, with their names
 * (docs/specification/alarms.md, Enumerations).
 */
export const NotifyHistory = stored('NotifyHistory', {
  ruleId: AnswerId,
  notifyId: AnswerId,
  messageId: AnswerId,
  channelId: AnswerId,
  alarmId: AnswerId,
  channelTypeFlag: numbered(ChannelType),
  channelTypeName: named(ChannelType),
  target: z.string().meta({ examples: ['shift@plant.example'] }),
  statusFlag: numbered(DeliveryStatus),
  statusName: named(DeliveryStatus),
  eventFlag: named(HistoryEvent),
  deliveryId: z
    .string()
    .describe('Same id at every attempt; webhook receivers get it as `webhook-id`'),
  requestExt: AnswerExt,
  responseExt: AnswerExt,
  errorMessage: z.string().meta({ examples: ['HTTP 503 Service Unavailable'] }),
  retryCount: z.number().int(),
  nextTryTime: MaybeTime,
});
export type NotifyHistory = z.output<typeof NotifyHistory.schema>;

const historyOf =
  (caller: Caller) =>
  (row: Selectable<NotifyHistoryTable>): NotifyHistory =>
    maskedFor(
      caller,
      NotifyHistory.of({
        ...row,
        channelTypeName: row.channelTypeFlag,
        statusName: row.statusFlag,
      }),
    );

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

export const byId: Operation<ById, NotifyHistory> = (app, caller, { id }) =>
  inOneTrip(app.db, caller.tenantId, async (q) =>
    historyOf(caller)(await rowOf(q, 'svc_notify_history', caller.tenantId, id)),
  );

/** Newest first. */
export const page: Operation<HistoryQuery, Paged<NotifyHistory>> = (app, caller, given) =>
  inOneTrip(app.db, caller.tenantId, (q) => {
    const { tenantId } = caller;
    const ids = ['ruleId', 'notifyId', 'messageId', 'channelId', 'alarmId'] as const;
    let query = narrowed(
      q.selectFrom('svc_notify_history').selectAll().where('tenantId', '=', tenantId),
      given,
      { like: ['target'], equal: [...ids, 'channelTypeFlag', 'statusFlag'] },
    );
    // A search in what is not shown would tell it letter by letter.
    if (given.target !== undefined && !seesTargets(caller))
      query = query.where('target', 'not like', '%://%');
    const newestFirst = query.orderBy('createTime', 'desc').orderBy('id', 'desc');
    const total = listTotal(query, { q, tenantId, table: 'svc_notify_history', given });
    return pageOf(newestFirst, given.page, historyOf(caller), { total });
  });
