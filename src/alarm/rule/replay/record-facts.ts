import { sql } from 'kysely';

import { deletedBefore } from '../../../data/retention/records.ts';
import { inOneTrip } from '../../../db/tenant.ts';
import type { App } from '../../../kernel/app/app.ts';
import { nameOf } from '../../../kernel/input/flag.ts';
import { EventLevel, EventType } from '../../../manager/entity/value-type.ts';
import { watchesDevice } from '../../condition/devices.ts';
import { eventFact, statusFact } from '../../condition/record-fact.ts';
import { AlarmTarget, AlarmType } from '../../kind/alarm.ts';
import { fieldIn } from '../../kind/condition.ts';
import type { RuleContent } from '../../kind/rule-ext.ts';
import type { Arrived } from './replay.ts';
import type { Span, StoredFacts } from './stored-facts.ts';

/** The newest records of all that a rule watches. */
const MAX_RECORDS = 10_000;

type Asked = {
  target: Exclude<AlarmTarget, 'POINT'>;
  /** 0: every one of the target. */
  entityId: string;
  /** Of a rule on every device: this one alone. */
  deviceId: string | undefined;
  content: RuleContent;
  span: Span;
};

/** Names are as they are now; empty: deleted. */
type Recorded = StoredFacts & { entityName: string; deviceName: string };

type Found = {
  /** By place. */
  recorded: Recorded[];
  /** Where records were left out, it begins later than asked for. */
  span: Span;
  /** The records are too many. */
  isCut: boolean;
  /** The class of the tenant's records deletes older ones. */
  isDeleted: boolean;
};

/** What rules on devices, drivers and events saw in a span, as far as it is stored. */
export async function recordedFacts(app: App, tenantId: string, asked: Asked): Promise<Found> {
  const isEvent = asked.target === 'EVENT';
  const days = isEvent ? 'eventDays' : 'alarmDays';
  const now = app.clock.now();
  const before = await inOneTrip(app.db, tenantId, (q) =>
    deletedBefore(q, tenantId, { days, now }),
  );
  const from = Math.max(asked.span.from, before?.getTime() ?? 0);
  const isDeleted = from > asked.span.from;
  const to = Math.max(from, asked.span.to);
  const kept = { ...asked, span: { from, to } };
  const { found, span } = await (isEvent ? eventsIn : alarmsIn)(app, tenantId, kept);
  const placeOf = ({ arrived: { fact } }: Line): string => `${fact.entityId}:${fact.deviceId}`;
  const recorded = [...Map.groupBy(found.toSorted(byArrival), placeOf).values()].flatMap(
    (lines): Recorded[] => {
      const [first] = lines;
      if (!first) return [];
      const { arrived, entityName, deviceName } = first;
      const facts = lines.map((line) => line.arrived);
      return [{ place: arrived.fact, count: facts.length, facts, entityName, deviceName }];
    },
  );
  return { recorded, span, isCut: span.from > from, isDeleted };
}

type Line = { arrived: Arrived; entityName: string; deviceName: string };
type Lines = { found: Line[]; span: Span };

const byArrival = ({ arrived: a }: Line, { arrived: b }: Line): number =>
  a.now - b.now || Number((a.fact.seq ?? 0n) - (b.fact.seq ?? 0n));

/** What is asked for, of rows `r` that have an `entity_id` and a `device_id`. */
function ofAsked({ target, entityId, deviceId, content }: Asked) {
  const ext = sql`${JSON.stringify({ content: { devices: content.devices } })}::jsonb`;
  const id = target === 'EVENT' ? sql`r.device_id` : sql`r.entity_id`;
  return sql`${entityId === '0' ? sql`true` : sql`${id} = ${entityId}`}
    and ${deviceId === undefined ? sql`true` : sql`r.device_id = ${deviceId}`}
    and ${watchesDevice(ext, sql`r.tenant_id`, sql`r.device_id`)}`;
}

/** The newest of the rows, newest first, and the span that they are all of. */
function newest<T extends { at: Date }>(rows: readonly T[], span: Span): { rows: T[]; span: Span } {
  const first = rows[MAX_RECORDS];
  if (!first) return { rows: [...rows], span };
  const from = first.at.getTime() + 1;
  return { rows: rows.filter(({ at }) => at.getTime() >= from), span: { ...span, from } };
}

const named = sql`d.device_name as "deviceName", v.driver_name as "driverName"`;
const names = sql`
  left join svc_device d on d.tenant_id = r.tenant_id and d.id = r.device_id
  left join svc_driver v on v.tenant_id = r.tenant_id and v.id = r.driver_id`;

type Alarm = {
  id: string;
  at: Date;
  entityId: string;
  deviceId: string;
  driverId: string;
  type: number;
  message: string;
  /** When an outage was over; null: it was not, or the alarm was reported. */
  over: Date | null;
  isReport: boolean;
  /** When it was reported (ms); null of an outage. */
  occurTime: number | null;
  deviceName: string | null;
  driverName: string | null;
};

/** Outages that began or were over in a span, and alarms that were reported. */
async function alarmsIn(app: App, tenantId: string, asked: Asked): Promise<Lines> {
  const isReport = sql`jsonb_exists(r.alarm_ext, 'messageId')`;
  const alarms = sql`
    select r.id, r.create_time as at, r.entity_id as "entityId", r.device_id as "deviceId",
      r.driver_id as "driverId", r.alarm_type_flag as type, r.message, ${isReport} as "isReport",
      case when r.rule_state_id <> 0 then r.last_recover_time end as over,
      (r.alarm_ext ->> 'occurTime')::float8 as "occurTime", ${named}
    from svc_entity_alarm r ${names}
    where r.tenant_id = ${tenantId} and r.rule_id = 0
      and r.alarm_target_type_flag = ${AlarmTarget[asked.target]}
      and (r.rule_state_id <> 0 or ${isReport}) and ${ofAsked(asked)}`;
  const read = (more: typeof alarms): Promise<Alarm[]> =>
    inOneTrip(app.db, tenantId, async (q) => (await sql<Alarm>`${alarms} ${more}`.execute(q)).rows);
  const at = (ms: number) => new Date(ms);
  const begun = newest(
    await read(sql`and r.create_time between ${at(asked.span.from)} and ${at(asked.span.to)}
      order by r.create_time desc, r.id desc limit ${MAX_RECORDS + 1}`),
    asked.span,
  );
  const { from, to } = begun.span;
  // Those of earlier ones change nothing but for a rule on what is back.
  const earlier = await read(sql`and r.rule_state_id <> 0 and r.create_time < ${at(from)}
    and r.last_recover_time between ${at(from)} and ${at(to)}
    order by r.last_recover_time desc limit ${MAX_RECORDS}`);
  const over = [...begun.rows, ...earlier].flatMap((row) =>
    row.over && row.over.getTime() <= to ? [endOf(asked, row, row.over.getTime())] : [],
  );
  return { found: [...begun.rows.map((row) => beginOf(asked, row)), ...over], span: begun.span };
}

function beginOf(asked: Asked, row: Alarm): Line {
  const now = row.at.getTime();
  const at = row.occurTime === null ? now : Math.min(row.occurTime, now);
  const type = nameOf(AlarmType, row.type);
  const statusName = !row.isReport && type !== 'FAULT' ? 'OFFLINE' : type;
  // The quotation is ours; what else it changed of the text is not known any more.
  const message = row.isReport ? row.message.replaceAll(/^“|”$/g, '') : nameIn(asked, row);
  return lineOf(asked, row, { statusName, message, at, now });
}

const endOf = (asked: Asked, row: Alarm, at: number): Line =>
  lineOf(asked, row, { statusName: 'ONLINE', message: nameIn(asked, row), at, now: at });

const nameIn = ({ target }: Asked, { deviceName, driverName }: Alarm): string =>
  (target === 'DRIVER' ? driverName : deviceName) ?? '';

type Status = Pick<Parameters<typeof statusFact>[0], 'statusName' | 'message' | 'at' | 'now'>;

function lineOf(asked: Asked, row: Alarm, status: Status): Line {
  const { entityId, deviceId, driverId, id: alarmId } = row;
  const fact = statusFact({ entityId, deviceId, driverId, alarmId, ...status });
  return {
    arrived: { fact, now: status.now },
    entityName: nameIn(asked, row),
    deviceName: row.deviceName ?? '',
  };
}

type Event = {
  at: Date;
  received: Date;
  recordId: string;
  deviceId: string;
  driverId: string | null;
  eventId: string;
  eventCode: string;
  type: number;
  level: number;
  params: Record<string, string> | null;
  message: string;
  deviceName: string | null;
};

/** The names of the parameters that a rule may compare. */
function paramsIn({ condition }: RuleContent): string[] {
  const field = fieldIn(condition) ?? '';
  return [field, field.replace(/^paramValues\./, '')];
}

/** Events by when they occurred, with the parameters that the rule compares. */
async function eventsIn(app: App, tenantId: string, asked: Asked): Promise<Lines> {
  const { from, to } = asked.span;
  const read = await inOneTrip(app.db, tenantId, (q) =>
    sql<Event>`
      select r.occur_time as at, r.receive_time as received, r.record_id as "recordId",
        r.device_id as "deviceId", d.driver_id as "driverId", r.event_id as "eventId",
        r.event_code as "eventCode", r.event_type_flag as type, r.event_level_flag as level,
        (select jsonb_object_agg(p.key, p.value) from jsonb_each(r.param_values) p
          where p.key = any(${paramsIn(asked.content)}::text[])) as params,
        r.message, d.device_name as "deviceName"
      from svc_event_history r
      left join svc_device d on d.tenant_id = r.tenant_id and d.id = r.device_id
      where r.tenant_id = ${tenantId} and ${ofAsked(asked)}
        and r.occur_time between ${new Date(from)} and ${new Date(to)}
      order by r.occur_time desc, r.id desc limit ${MAX_RECORDS + 1}`.execute(q),
  );
  const { rows, span } = newest(read.rows, asked.span);
  const found = rows.toReversed().map((row): Line => {
    const { recordId, deviceId, eventId, eventCode, message, received } = row;
    const now = received.getTime();
    const fact = eventFact(
      {
        recordId,
        deviceId,
        eventCode,
        eventType: nameOf(EventType, row.type),
        eventLevel: nameOf(EventLevel, row.level),
        params: row.params ?? {},
        message,
        occurTime: row.at.getTime(),
      },
      { driverId: row.driverId ?? '0', eventId, now },
    );
    const deviceName = row.deviceName ?? '';
    return { arrived: { fact, now }, entityName: deviceName, deviceName };
  });
  return { found, span };
}
