import { type RawBuilder, sql } from 'kysely';

import { nameOf } from '../../kernel/input/flag.ts';
import { mailAddress } from '../../kernel/input/mail-address.ts';
import { quotingAnswer } from '../channel/delivery/outcome.ts';
import { ChannelType, DeliveryStatus, HistoryEvent, NoticeEvent } from '../kind/delivery-status.ts';
import { reasonWords } from '../kind/held-back.ts';

/** A notification of an alarm, or one that its policy suppressed; times are ISO-8601. */
export type Notifications = {
  event: number;
  /** Null for a deleted channel. */
  channel: string | null;
  type: number | null;
  /** Null: not sent, for `reason`. */
  status: number | null;
  reason: string;
  target: string;
  at: string;
  tries: number;
  /** It was held back, and sent later. */
  past: boolean;
};

/** The outcome of a notification, for people. */
export type Notified = {
  channel: string;
  kind: string;
  ok: boolean;
  /** Why it did not arrive, or not yet; empty if it did. */
  why: string;
};

/** At most so many notifications of one alarm are shown. */
const MAX_TOLD = 12;

/**
 * The newest notification of the alarm `row` for each event and channel, as JSON: those of the firing, then those of
 * the recovery.
 */
export const notificationsOf = (tenantId: string, row: string): RawBuilder<Notifications[]> => sql`
  coalesce((select jsonb_agg(told order by told.event, told.at) from (select every.*,
    status is null and bool_or(status is not null) over (partition by event, channel_id) as past from (
    (select distinct on (h.event_flag, h.channel_id) h.event_flag as event, h.channel_id, c.channel_name as channel,
      h.channel_type_flag as type, h.status_flag as status, h.error_message as reason, h.target,
      h.create_time as at, h.retry_count as tries
    from svc_notify_history h
    left join svc_notify_channel c on c.tenant_id = h.tenant_id and c.id = h.channel_id
    where h.tenant_id = ${tenantId} and h.id in (
      select own.id from svc_notify_history own
      where own.tenant_id = ${tenantId} and own.alarm_id = ${sql.ref(`${row}.id`)}
      union all select unnest(array[l.fired_in, l.over_in]) from svc_notify_ledger l
      where l.tenant_id = ${tenantId} and l.alarm_id = ${sql.ref(`${row}.id`)})
    order by h.event_flag, h.channel_id, h.id desc)
    union all
    select (left_out ->> 'event')::smallint, (left_out ->> 'channelId')::bigint, c.channel_name, c.channel_type_flag, null,
      left_out ->> 'reason', '', (left_out ->> 'at')::timestamptz, 0
    from jsonb_array_elements(${sql.ref(`${row}.alarm_ext`)} -> 'leftOut') left_out
    left join svc_notify_channel c on c.tenant_id = ${tenantId} and c.id = (left_out ->> 'channelId')::bigint
    order by 1, 8 limit ${MAX_TOLD}) every) told), '[]')`;

export function notifiedOf(told: Notifications, zone?: string): Notified {
  return {
    channel: told.channel ?? 'deleted channel',
    kind: told.type === null ? '' : nameOf(ChannelType, told.type),
    ok: told.status === DeliveryStatus.SUCCESS,
    why: whyNot(told, zone),
  };
}

function whyNot({ status, reason, tries }: Notifications, zone?: string): string {
  if (status === null) return `not sent: ${reasonWords(reason, zone)}`;
  if (status === DeliveryStatus.SUCCESS) return '';
  const why = quotingAnswer(reason);
  if (status === DeliveryStatus.FAILED) return why;
  return tries === 0 ? 'not sent yet' : `tried ${tries} times: ${why}`;
}

export const isOfFiring = ({ event }: Notifications): boolean => event === NoticeEvent.FIRED;

/** What a channel knows now: not why it waited before it got the alarm. */
export const isCurrent = ({ past }: Notifications): boolean => !past;

/** A notification of an alarm in full: its event, its masked address and its outcome. */
export type Receiver = Notified & {
  event: HistoryEvent;
  /** SUCCESS, FAILED, PENDING …; LEFT_OUT where the policy left it out. */
  status: DeliveryStatus | 'LEFT_OUT';
  to: string;
};

export const receiverOf = (told: Notifications, zone?: string): Receiver => ({
  ...notifiedOf(told, zone),
  event: nameOf(HistoryEvent, told.event),
  status: told.status === null ? 'LEFT_OUT' : nameOf(DeliveryStatus, told.status),
  to: masked(told),
});

/** Enough of an address for people who have it: no reader of an alarm learns where to send something. */
function masked({ type, target }: Notifications): string {
  if (target === '') return '';
  if (type === ChannelType.EMAIL)
    return target
      .split(',')
      .map((one) => (mailAddress(one.trim())?.address ?? '').replace(/^(.)[^@]*/, '$1…'))
      .join(', ');
  if (type === ChannelType.SMS) return `…${target.slice(-3)}`;
  return URL.parse(target)?.host ?? '';
}
