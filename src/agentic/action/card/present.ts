import { sql } from 'kysely';
import { z } from 'zod';

import { Quality } from '../../../bus/topic/topics.ts';
import { commandEnd } from '../../../data/command/outcome.ts';
import { CommandStatus, Verification } from '../../../data/command/state.ts';
import { AnswerId, IsoTime, nameIn } from '../../../kernel/entity/answer.ts';
import { nameOf } from '../../../kernel/input/flag.ts';
import { Status } from '../../../manager/device/state.ts';
import { EntityType } from '../../../manager/entity/entity-type.ts';
import { presenceOf } from '../../../manager/presence/presence.ts';
import { ACTION_STATUS, statusNow } from '../kind/status.ts';

/** What another write that a card names is now. */
export const BECAME = [
  'PROPOSED',
  'UNDER_WAY',
  'UNKNOWN',
  'EXECUTED',
  'MISMATCH',
  'FAILED',
  'REJECTED',
  'EXPIRED',
  'WITHDRAWN',
  'NOT_SENT',
  'NOT_KNOWN',
] as const;
export type Became = (typeof BECAME)[number];

/** What is known of a write when it is read, beside what its card showed; null once it does not wait any more. */
export const PresentWrite = z
  .object({
    value: z.string().nullable().describe('The latest value of the point; null: none is known'),
    time: IsoTime.nullable(),
    age: z.string().meta({ examples: ['less than 1 min old'] }),
    quality: nameIn(Quality).nullable(),
    deviceStatus: Status,
    neverConnected: z.boolean(),
    offlineSince: IsoTime.nullable(),
    others: z
      .array(z.object({ id: AnswerId, kind: z.enum(BECAME) }))
      .describe('What the other writes of the card are now'),
  })
  .meta({ id: 'PresentWrite' });
export type PresentWrite = z.output<typeof PresentWrite>;

/** As JSON has it: times as text. */
type State = {
  entityStateFlag: number;
  description: string;
  expireTime: string;
  lastHeartbeatTime: string;
  lastOnlineTime: string | null;
  offlineSince: string | null;
  onlineSince: string | null;
  readIssue: string;
  commandLifeMs: number;
};
type OtherRow = {
  id: string;
  status: number | null;
  expireTime: string | null;
  commandStatus: number | null;
  commandVerification: number | null;
};
export type PresentRow = {
  value: string | null;
  time: string | null;
  quality: number | null;
  /** Since when the platform itself cannot receive heartbeats. */
  pausedTime: string | null;
  state: State | null;
  others: OtherRow[] | null;
};

/** Of the others, the command of that step which goes to the same point. */
const others = sql`(select jsonb_agg(jsonb_build_object('id', o.id, 'status', a.status, 'expireTime', a.expire_time,
    'commandStatus', c.status, 'commandVerification', c.verification))
  from (select one->>'id' as id from jsonb_array_elements(coalesce(w.write->'others', '[]'::jsonb)) one) o
  left join svc_action a on a.tenant_id = svc_action.tenant_id and a.action_id = o.id::uuid
  left join svc_action_step t on t.tenant_id = a.tenant_id and t.action_id = a.action_id
    and t.device_id = w.device_id and t.point_id = w.point_id
  left join svc_point_command_history c on c.tenant_id = svc_action.tenant_id and c.command_id =
    case when a.action_id is null then o.id::uuid when t.action_id is null then a.command_id else t.command_id end)`;

/** What is known now of each write of an action in `svc_action` that waits, in one column; null for all others. */
export const presentRows = sql<PresentRow[] | null>`case
  when svc_action.status in (${sql.lit(ACTION_STATUS.PENDING)}, ${sql.lit(ACTION_STATUS.PARTIALLY_CONFIRMED)}) then (
  select jsonb_agg(jsonb_build_object('value', l.cal_value, 'time', l.create_time, 'quality', l.quality,
    'pausedTime', (select paused_time from svc_listening where kind = 'state'),
    'state', case when s.entity_id is not null then jsonb_build_object('entityStateFlag', s.entity_state_flag,
      'description', s.description, 'expireTime', s.expire_time, 'lastHeartbeatTime', s.last_heartbeat_time,
      'lastOnlineTime', s.last_online_time, 'offlineSince', s.offline_since, 'onlineSince', s.online_since,
      'readIssue', s.read_issue, 'commandLifeMs', s.command_life_ms) end,
    'others', ${others}) order by w.place)
  from (select one as write, place, nullif(one->>'deviceId', '')::bigint as device_id,
      nullif(one->>'pointId', '')::bigint as point_id
    from jsonb_array_elements(case when jsonb_array_length(coalesce(svc_action.payload->'steps', '[]'::jsonb)) > 0
      then svc_action.payload->'steps' else jsonb_build_array(svc_action.payload) end)
      with ordinality as given (one, place)) w
  left join svc_point_latest l on l.tenant_id = svc_action.tenant_id and l.device_id = w.device_id
    and l.point_id = w.point_id
  left join svc_entity_state s on s.tenant_id = svc_action.tenant_id
    and s.entity_type_flag = ${sql.lit(EntityType.DEVICE)} and s.entity_id = w.device_id) end`;

/** `now` in milliseconds since the epoch. */
export function presentOf(row: PresentRow, now: number): PresentWrite {
  const { status, neverConnected, offlineSince } = presenceOf(stateOf(row, now));
  const time = row.time === null ? null : new Date(row.time).toISOString();
  return {
    value: row.value,
    time,
    age: ageOf(time, now),
    quality: row.quality === null ? null : nameOf(Quality, row.quality),
    deviceStatus: status,
    neverConnected,
    offlineSince,
    others: (row.others ?? []).map((other) => ({ id: other.id, kind: becameOf(other, now) })),
  };
}

function stateOf({ state, pausedTime }: PresentRow, now: number) {
  if (state === null) return undefined;
  const { expireTime, lastHeartbeatTime, lastOnlineTime, offlineSince, onlineSince, ...rest } =
    state;
  const heardUntil = pausedTime === null ? now : Date.parse(pausedTime);
  return {
    ...rest,
    entityId: '',
    hasLease: Date.parse(expireTime) > heardUntil,
    lastHeartbeatTime: new Date(lastHeartbeatTime),
    lastOnlineTime: timeOf(lastOnlineTime),
    offlineSince: timeOf(offlineSince),
    onlineSince: timeOf(onlineSince),
  };
}

const timeOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** A write that was sent is what its command is; any other what its action is. */
function becameOf(other: OtherRow, now: number): Became {
  const { status, expireTime, commandStatus, commandVerification } = other;
  if (commandStatus !== null && commandVerification !== null) {
    const end = commandEnd(
      nameOf(CommandStatus, commandStatus),
      nameOf(Verification, commandVerification),
    );
    return end === 'UNDERWAY' ? 'UNDER_WAY' : end;
  }
  if (status === null || expireTime === null) return 'NOT_KNOWN';
  const unsent = { commandStatus: null, commandVerification: null };
  const action = statusNow({ status, expireTime: new Date(expireTime), ...unsent }, now);
  if (action === 'PENDING' || action === 'PARTIALLY_CONFIRMED') return 'PROPOSED';
  if (action === 'CONFIRMED') return 'UNDER_WAY';
  if (action === 'REJECTED' || action === 'EXPIRED' || action === 'WITHDRAWN') return action;
  return 'NOT_SENT';
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const;

/** How old a value is at `now` (milliseconds), e.g. `4 min old`. */
export function ageOf(time: string | null, now: number): string {
  if (time === null) return 'never read';
  const age = now - Date.parse(time);
  const unit = UNITS.find(([ms]) => age >= ms);
  return unit ? `${Math.floor(age / unit[0])} ${unit[1]} old` : 'less than 1 min old';
}
