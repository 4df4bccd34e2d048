import { sql } from 'kysely';

import { AlarmLevel } from '../../alarm/kind/alarm.ts';
import { RuleStatus } from '../../alarm/kind/rule-status.ts';
import { type Unnotified, unnotifiedIn } from '../../alarm/ledger/unnotified.ts';
import { searchIn } from '../../alarm/search/search.ts';
import { allows } from '../../auth/permission/permission.ts';
import { silentPoints } from '../../data/silence/silent.ts';
import { searchIn as valuesIn, type ValueNow } from '../../data/silence/value-search.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { type Outages, outagesIn } from './outages.ts';

/** Firing alarms of one cause: an outage with what it explains, or one alarm for itself. */
export type FiringCause = {
  /** Of the cause; it fires itself. */
  alarmId: string;
  level: keyof typeof AlarmLevel;
  since: Date;
  deviceName: string | null;
  driverName: string | null;
  pointName: string | null;
  ruleName: string | null;
  message: string;
  /** Other firing alarms that it explains. */
  explains: number;
};

/** What is not as it should be; a part is null for a caller that may not read it. */
export type Unhealthy = {
  causes: { rows: FiringCause[]; firing: number; causes: number } | null;
  /** Recovered alarms of P0 and P1 without a confirmation. */
  unconfirmed: { rows: { alarmId: string; level: string; what: string }[]; more: boolean } | null;
  unnotified: Unnotified[] | null;
  outages: Outages | null;
  silent: number | null;
  bad: { rows: ValueNow[]; total: number } | null;
};

const ALARMS = 'svc-center-data:dashboard:list';
const DEVICES = 'svc-center-manager:device:list';
const VALUES = 'svc-center-data:point_value:list';

const MAX_CAUSES = 10;
const MAX_UNCONFIRMED = 4;
const MAX_BAD = 4;
/** Firing alarms that are looked at, the most urgent first. */
const MAX_FIRING = 10_000;

/** The state of the plant at present, worst first within each part; in one trip. */
export const unhealthy: Operation<object, Unhealthy> = (app, caller) =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    const now = app.clock.now();
    const { tenantId } = caller;
    const may = (right: string): boolean => allows(caller, right);
    const worst = { quality: 'BAD', limit: MAX_BAD } as const;
    const [causes, urgent, next, unnotified, outages, silent, bad] = await Promise.all([
      may(ALARMS) ? firingCauses(q, tenantId) : null,
      may(ALARMS) ? unconfirmedOf(q, tenantId, 'P0', now) : null,
      may(ALARMS) ? unconfirmedOf(q, tenantId, 'P1', now) : null,
      may(ALARMS) ? unnotifiedIn(q, tenantId, now) : null,
      may(DEVICES) ? outagesIn(q, tenantId, { since: new Date(now), now }) : null,
      may(VALUES) ? silentPoints(q, tenantId, now) : null,
      may(VALUES) ? valuesIn(q, caller, worst, now) : null,
    ]);
    const rows = [...(urgent?.rows ?? []), ...(next?.rows ?? [])];
    const more = urgent?.more === true || next?.more === true || rows.length > MAX_UNCONFIRMED;
    return {
      causes,
      unconfirmed: urgent && { rows: rows.slice(0, MAX_UNCONFIRMED), more },
      unnotified,
      outages,
      silent,
      bad: bad && { rows: bad.values, total: bad.total },
    };
  });

async function unconfirmedOf(q: Queries, tenantId: string, level: 'P0' | 'P1', now: number) {
  const limit = MAX_UNCONFIRMED;
  const found = await searchIn(q, tenantId, { state: 'RECOVERED', level, limit, now });
  const open = found.alarms.filter(({ confirmed }) => !confirmed);
  return {
    rows: open.map(({ alarmId, level: of, message }) => ({ alarmId, level: of, what: message })),
    more: found.next !== null,
  };
}

type CauseRow = Omit<FiringCause, 'level'> & { level: number; firing: number; causes: number };

/**
 * Firing alarms, each with the firing outage of its driver or else of its device where it is about silence or about a
 * device that is away: the most urgent and those that explain most first.
 */
async function firingCauses(q: Queries, tenantId: string): Promise<Unhealthy['causes']> {
  const outage = (type: number, of: string) => sql`(select s.alarm_id from svc_rule_state s
    where s.tenant_id = a.tenant_id and s.fingerprint = 'outage:' || ${type}::int || ':' || ${sql.ref(of)}
      and s.entity_state_flag = ${RuleStatus.FIRING} and ${sql.ref(of)} <> 0 and s.alarm_id <> a.id)`;
  const { rows } = await sql<CauseRow>`
    with firing as (
      select a.* from svc_entity_alarm a where a.tenant_id = ${tenantId} and a.urgency >= 5
      order by a.urgency desc, a.create_time limit ${MAX_FIRING}),
    rooted as (
      select a.id, a.alarm_level_flag, case
        when a.rule_id = 0 and a.device_id <> 0 then coalesce(${outage(EntityType.DRIVER, 'a.driver_id')}, a.id)
        when a.alarm_ext #>> '{condition,operator}' = 'nodata' then coalesce(
          ${outage(EntityType.DRIVER, 'a.driver_id')}, ${outage(EntityType.DEVICE, 'a.device_id')}, a.id)
        else a.id end as root
      from firing a),
    causes as (
      select root, min(alarm_level_flag) as level, (count(*) filter (where id <> root))::int as explains
      from rooted group by root)
    select c.root as alarm_id, c.level, c.explains, coalesce(o.first_trigger_time, o.create_time) as since,
      d.device_name, v.driver_name, p.point_name, o.alarm_ext ->> 'ruleName' as rule_name, o.message,
      (select count(*)::int from firing) as firing, (count(*) over ())::int as causes
    from causes c join svc_entity_alarm o on o.tenant_id = ${tenantId} and o.id = c.root
    left join svc_device d on d.tenant_id = o.tenant_id and d.id = o.device_id
    left join svc_point p on p.tenant_id = o.tenant_id and p.id = o.point_id
    left join svc_driver v on v.tenant_id = o.tenant_id and v.id = o.driver_id and o.device_id = 0
    order by c.level, c.explains desc, since, c.root limit ${MAX_CAUSES}`.execute(q);
  const [first] = rows;
  return {
    rows: rows.map(({ firing: _firing, causes: _causes, ...row }) => ({
      ...row,
      level: nameOf(AlarmLevel, row.level),
    })),
    firing: first?.firing ?? 0,
    causes: first?.causes ?? 0,
  };
}
