import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { findRow } from '../../kernel/entity/row.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { inZone } from '../../kernel/sentence/time-zone.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { EntityState } from '../../manager/device/state.ts';
import { atDeviceVersion } from '../../manager/device/version.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { noteLapsed } from '../../manager/presence/lapse.ts';
import { confirmWithoutRuleIfAuto, isConfirmed } from '../alarm/auto-confirm.ts';
import { keepEpisode } from '../alarm/episode.ts';
import { raise, type NewAlarm } from '../alarm/raise.ts';
import type { Fact } from '../condition/fact.ts';
import { statusFact } from '../condition/record-fact.ts';
import { AlarmLevel, AlarmTarget, AlarmType } from '../kind/alarm.ts';
import { allowing, RuleStatus } from '../kind/rule-status.ts';
import type { Attended } from '../ledger/attend.ts';
import {
  announceNotifications,
  combined,
  notifyFired,
  notifyRecovered,
  policiesOf,
} from '../ledger/notify.ts';
import { withoutRule } from '../message/alarm-event.ts';
import { type Writing, writingOf } from '../message/alarm-link.ts';
import { evaluateInOrder } from '../rule/evaluate.ts';
import { rulesFor } from '../rule/rule-cache.ts';
import { closeOrphans } from './orphan.ts';
import { servedBy } from './served.ts';

const BATCH = 500;
/** Heartbeats come three times in a lease of 45 s. */
const LATE_MS = 30_000;

type Entity = {
  tenantId: string;
  entityType: number;
  id: string;
  driverId: string;
  name: string;
  state: number;
  expired: boolean;
  since: Date;
  /** Time zone of the tenant. */
  zone: string;
  /** An outage alarm is firing. */
  down: boolean;
};

/**
 * Finds ended leases, changed states and entities that are back: one alarm for each outage, whichever process
 * detects it first. At most 500 entities a run, those of each tenant in turn, drivers first; the next run continues.
 */
export async function scanOutages(app: App): Promise<void> {
  const now = app.clock.now();
  const changed = await acrossTenants(app.db, 'sweeper', async (q) => {
    await closeOrphans(q, new Date(now));
    await noteLapsed(q, now);
    return changedEntities(q, new Date(now));
  });
  for (const entity of changed)
    await settle(app, entity, now).catch((error: unknown) => {
      if (error instanceof Unavailable) throw error;
      const { tenantId, id } = entity;
      app.log.error({ error, tenantId, id }, 'outage not processed, retrying at the next scan');
    });
}

/**
 * Alarm, notifications and rules in one transaction: the next scan does not find a committed outage again.
 */
async function settle(app: App, entity: Entity, now: number): Promise<void> {
  const { tenantId } = entity;
  const written = await atDeviceVersion(app, tenantId, async (at) => {
    const candidates = await rulesFor(app, at, targetOf(entity));
    return inTenant(app.db, tenantId, async (q) => {
      const outage = entity.down ? await comeBack(q, entity, now) : await goDown(q, entity, now);
      if (!outage) return combined([]);
      const people = await tellPeople(q, entity, outage, writingOf(app));
      const facts = [factOf(entity, outage.alarmId, now)];
      return combined([people, await evaluateInOrder(app, q, { at, candidates, facts })]);
    });
  });
  app.crashAt('alarm-committed');
  await announceNotifications(app, tenantId, written);
}

/** Entities that are down without a firing outage, or back with one. Disabled entities are skipped. */
async function changedEntities(q: Queries, at: Date): Promise<Entity[]> {
  const { OFFLINE, ONLINE, FAULT } = EntityState;
  // OFFLINE counts only after ONLINE; the lease of an entity reported OFFLINE may end without an alarm.
  const down = sql`(s.expire_time <= ${at} and s.entity_state_flag <> ${OFFLINE}
    or s.entity_state_flag = ${OFFLINE} and s.last_state_flag = ${ONLINE}
    or s.entity_state_flag = ${FAULT})`;
  const { rows } = await sql<Entity>`
    select * from (select s.tenant_id as "tenantId", s.entity_type_flag as "entityType", s.entity_id as id,
      coalesce(d.driver_id, s.entity_id) as "driverId",
      coalesce(d.device_name, v.driver_name) as name, s.entity_state_flag as state,
      s.expire_time <= ${at} as expired, s.last_heartbeat_time as since, t.timezone as zone,
      coalesce(r.entity_state_flag = ${RuleStatus.FIRING}, false) as down,
      row_number() over (partition by s.tenant_id
        order by s.entity_type_flag = ${EntityType.DRIVER} desc, s.expire_time, s.entity_id) as turn
    from svc_entity_state s
    join svc_tenant t on t.id = s.tenant_id and t.enable_flag = 0
    left join svc_device d on s.entity_type_flag = ${EntityType.DEVICE}
      and d.tenant_id = s.tenant_id and d.id = s.entity_id and d.enable_flag = 0
      and exists (select from svc_driver by join svc_profile f on f.tenant_id = by.tenant_id
        where by.tenant_id = d.tenant_id and by.id = d.driver_id and f.id = d.profile_id
          and by.enable_flag = 0 and f.enable_flag = 0)
    left join svc_driver v on s.entity_type_flag = ${EntityType.DRIVER}
      and v.tenant_id = s.tenant_id and v.id = s.entity_id and v.enable_flag = 0
    left join svc_entity_state ds on ds.tenant_id = d.tenant_id and ds.entity_id = d.driver_id
      and ds.entity_type_flag = ${EntityType.DRIVER}
    left join svc_rule_state r on r.tenant_id = s.tenant_id
      and r.fingerprint = 'outage:' || s.entity_type_flag || ':' || s.entity_id
    where (d.id is not null or v.id is not null) and case
      when r.entity_state_flag = ${RuleStatus.FIRING} then s.expire_time > ${at}
        and s.entity_state_flag not in (${OFFLINE}, ${FAULT})
      else ${down} end
      -- A device of a driver that is late itself waits until the driver is heard, or is the cause.
      and (s.expire_time > ${at} or ds.expire_time <= ${at} or ds.last_heartbeat_time is null
        or ds.last_heartbeat_time > ${new Date(at.getTime() - LATE_MS)})) changed
    order by turn, "tenantId" limit ${BATCH}`.execute(q);
  return rows;
}

const isDevice = ({ entityType }: Entity): boolean => entityType === EntityType.DEVICE;

const targetOf = (entity: Entity): 'DEVICE' | 'DRIVER' => (isDevice(entity) ? 'DEVICE' : 'DRIVER');

const ids = (entity: Entity) => ({
  entityId: entity.id,
  driverId: entity.driverId,
  deviceId: isDevice(entity) ? entity.id : '0',
});

/** The alarm of an outage, and its rule state. */
type Outage = { alarmId: string; stateId: string };

/** Null if another process has opened the outage. */
async function goDown(q: Queries, entity: Entity, now: number): Promise<Outage | null> {
  const { tenantId } = entity;
  const at = new Date(now);
  const episode = { firstTriggerTime: at, lastTriggerTime: at };
  const begun = { ...episode, entityStateFlag: RuleStatus.FIRING, operateTime: at };
  const { entityId, deviceId } = ids(entity);
  const state = await q
    .insertInto('svc_rule_state')
    .values({
      ...begun,
      tenantId,
      entityId,
      deviceId,
      alarmTargetTypeFlag: AlarmTarget[targetOf(entity)],
      fingerprint: `outage:${entity.entityType}:${entity.id}`,
      triggerCount: '1',
      createTime: at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['tenantId', 'fingerprint'])
        .doUpdateSet({ ...begun, triggerCount: sql`svc_rule_state.trigger_count + 1` })
        // An outage has no PENDING phase: the lease was the waiting time.
        .where('svc_rule_state.entityStateFlag', 'in', allowing('match')),
    )
    .returning('id')
    .executeTakeFirst();
  if (!state) return null;
  const alarm = alarmOf(entity);
  const served = isDevice(entity) ? '' : await servedBy(q, entity);
  const message = `${alarm.message}${served}`;
  const alarmId = await raise(q, { ...alarm, message, ruleStateId: state.id, episode, now });
  await q
    .updateTable('svc_rule_state')
    .set({ alarmId })
    .where('tenantId', '=', tenantId)
    .where('id', '=', state.id)
    .execute();
  return { alarmId, stateId: state.id };
}

function alarmOf(entity: Entity): Omit<NewAlarm, 'now'> {
  const device = isDevice(entity);
  const noun = device ? 'Device' : 'Driver';
  const name = quoted(entity.name);
  const common = {
    ...ids(entity),
    tenantId: entity.tenantId,
    target: targetOf(entity),
    source: device ? 'DEVICE_REPORT' : 'DRIVER_REPORT',
    level: AlarmLevel.P1,
  } as const;
  if (entity.state === EntityState.FAULT)
    return { ...common, type: 'FAULT', message: `${noun} ${name} reports a fault` };
  if (!entity.expired || entity.state === EntityState.OFFLINE) {
    const message = `${noun} ${name} went from online to offline`;
    return { ...common, type: 'STATE_FLIP', level: AlarmLevel.P2, message };
  }
  const since = inZone(entity.since, entity.zone);
  const message = `${noun} ${name} is offline: no heartbeat since ${since}`;
  return { ...common, type: 'OFFLINE', source: 'STATE_TIMEOUT', message };
}

/** Ends an outage: RECOVERED, or CLOSED if its alarm is confirmed. Null if another process has ended it. */
async function comeBack(q: Queries, entity: Entity, now: number): Promise<Outage | null> {
  const at = new Date(now);
  const recovered = await q
    .updateTable('svc_rule_state')
    .set({ entityStateFlag: RuleStatus.RECOVERED, lastRecoverTime: at, operateTime: at })
    .where('tenantId', '=', entity.tenantId)
    .where('fingerprint', '=', `outage:${entity.entityType}:${entity.id}`)
    .where('entityStateFlag', 'in', allowing('recover'))
    .returning(['id', 'alarmId'])
    .executeTakeFirst();
  if (!recovered) return null;
  const { tenantId } = entity;
  const { id: stateId, alarmId } = recovered;
  await keepEpisode(q, tenantId, alarmId, { state: 'RECOVERED', lastRecoverTime: at });
  await confirmWithoutRuleIfAuto(q, { tenantId, alarmId, now });
  if (await isConfirmed(q, tenantId, alarmId)) {
    await keepEpisode(q, tenantId, alarmId, { state: 'CLOSED' });
    await q
      .updateTable('svc_rule_state')
      .set({ entityStateFlag: RuleStatus.CLOSED })
      .where('tenantId', '=', tenantId)
      .where('id', '=', stateId)
      .execute();
  }
  return { alarmId, stateId };
}

/** Outages have no rule: the policies that list the alarm type decide on notifications. */
async function tellPeople(
  q: Queries,
  entity: Entity,
  { alarmId, stateId }: Outage,
  writing: Writing,
): Promise<Attended> {
  const alarm = await findRow(q, 'svc_entity_alarm', entity.tenantId, alarmId);
  if (!alarm) return combined([]);
  const { entityId, deviceId } = ids(entity);
  const type = nameOf(AlarmType, alarm.alarmTypeFlag);
  const alarmEvent = {
    ...withoutRule({ tenantId: entity.tenantId, alarmId, type }),
    ruleStateId: stateId,
    level: nameOf(AlarmLevel, alarm.alarmLevelFlag),
    target: targetOf(entity),
    entityId,
    deviceId,
    message: entity.down ? `${quoted(entity.name)} is back` : alarm.message,
    occurTime: writing.now,
  } as const;
  return entity.down
    ? notifyRecovered(q, alarmEvent, writing)
    : notifyFired(q, alarmEvent, await policiesOf(q, entity.tenantId, type), writing);
}

/** What rules see of an outage that began, or ended. */
function factOf(entity: Entity, alarmId: string, now: number): Fact {
  const fault = entity.state === EntityState.FAULT;
  const statusName = entity.down ? 'ONLINE' : fault ? 'FAULT' : 'OFFLINE';
  return statusFact({ ...ids(entity), statusName, message: entity.name, alarmId, at: now, now });
}
