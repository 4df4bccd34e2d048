import type { Queries } from '../../db/connect.ts';
import { NoticeEvent } from '../kind/delivery-status.ts';
import {
  type AlarmEvent,
  namesOf,
  noticeOf,
  quotedNames,
  variablesOf,
} from '../message/alarm-event.ts';
import { render } from '../message/render.ts';
import { defaultTemplate, templateFor, templatesOf } from '../message/templates.ts';
import type { Bound } from './terms.ts';

/** A notification to publish after the commit. */
export type Row = { id: string; notifyId: string; channelId: string };

type To = { notifyId: string; messageId: string; channel: Bound };
type Occasion = {
  event: NoticeEvent;
  isReminder: boolean;
  now: number;
  /** Of what is reported without an alarm: the message that brought it. */
  messageOfBus?: string | undefined;
};

/** Writes the pending notification of an event of an alarm to one channel, in the caller's transaction. */
export async function writeMessage(
  q: Queries,
  alarmEvent: AlarmEvent,
  { notifyId, messageId, channel }: To,
  { event, isReminder, now, messageOfBus }: Occasion,
): Promise<Row> {
  const { tenantId, alarmId, ruleId, ruleStateId } = alarmEvent;
  const names = await namesOf(q, alarmEvent);
  const variables = variablesOf(alarmEvent, names, { event, reminder: isReminder, now });
  const own = templateFor(await templatesOf(q, tenantId, messageId), channel.channelTypeFlag);
  const on = {
    device: names.deviceName !== '',
    point: names.pointName !== '',
    alarm: alarmId !== '0',
  };
  const { title, text, used, missing } = own
    ? render(own, variables)
    : render(defaultTemplate(event, on), quotedNames(variables));
  const at = new Date(now);
  const { id } = await q
    .insertInto('svc_notify_history')
    .values({
      tenantId,
      ruleId,
      ruleStateId,
      notifyId,
      messageId,
      channelId: channel.id,
      alarmId,
      channelTypeFlag: channel.channelTypeFlag,
      target: channel.target,
      eventFlag: NoticeEvent[event],
      requestExt: JSON.stringify({
        title,
        text,
        templateType: own ? 'MESSAGE' : 'DEFAULT',
        variables: used,
        missing,
        notice: noticeOf(alarmEvent, names, event),
        messageOfBus,
      }),
      nextTryTime: at,
      createTime: at,
      operateTime: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, notifyId, channelId: channel.id };
}
