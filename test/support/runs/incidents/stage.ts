import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';
import { z } from 'zod';

import { MaintenanceMode, MaintenanceScope } from '../../../../src/alarm/alarm/in-maintenance.ts';
import { raise } from '../../../../src/alarm/alarm/raise.ts';
import { AlarmLevel } from '../../../../src/alarm/kind/alarm.ts';
import type { Queries } from '../../../../src/db/connect.ts';
import { inTenant } from '../../../../src/db/tenant.ts';
import { addTo } from '../../devices/notify.ts';
import type { Session } from '../../people/session.ts';
import type { World } from '../../world/app.ts';
import type { Happening, Incident } from './incident.ts';

const MANAGER = '/api/v3/manager';
const HOUR_MS = 3_600_000;
/** Nothing of an incident reaches into the next. */
const APART_MS = 36 * HOUR_MS;
const VALUES = 20;

/** Where things happen: the device of the alarms, its neighbours, and another plant. */
type Plant = {
  driverId: string;
  groupId: string;
  deviceId: string;
  inGroup: string;
  atDriver: string;
  elsewhere: string;
  pointId: string;
  otherPoint: string;
  ruleId: string;
};

/** What led to an alarm, as the answer of the platform would cite it. */
export type Planted = { alarmId: string; kind: string; id: string; at: number };

const Id = z.string().regex(/^\d+$/);

/** A plant of one tenant in whose past incidents are laid, each at a time of its own. */
export class Stage {
  readonly #world: World;
  readonly #session: Session;
  readonly #plant: Plant;

  private constructor(world: World, session: Session, plant: Plant) {
    this.#world = world;
    this.#session = session;
    this.#plant = plant;
  }

  static async open(world: World, session: Session): Promise<Stage> {
    const add = async (noun: string, body: object): Promise<string> =>
      Id.parse(await session.data(`${MANAGER}/${noun}/add`, body));
    const driver = (name: string) =>
      add('driver', {
        driverName: name,
        driverCode: `${name}-driver`,
        serviceName: name,
        serviceHost: '127.0.0.1',
      });
    const profileId = await add('profile', { profileName: 'boiler' });
    const point = (pointName: string) =>
      add('point', { pointName, pointTypeFlag: 'DOUBLE', rwFlag: 'READ_WRITE', profileId });
    const [driverId, farDriver] = [await driver('near'), await driver('far')];
    const pointId = await point('Temperature');
    const otherPoint = await point('Set-point');
    const farProfile = await add('profile', { profileName: 'pump' });
    const device = (deviceName: string, of: { driverId: string; profileId: string }) =>
      add('device', { deviceName, ...of });
    const deviceId = await device('Boiler 1', { driverId, profileId });
    const inGroup = await device('Boiler 2', { driverId: farDriver, profileId: farProfile });
    const atDriver = await device('Boiler 3', { driverId, profileId: farProfile });
    const elsewhere = await device('Pump', { driverId: farDriver, profileId: farProfile });
    const groupId = await add('group', { groupName: 'boilers', groupTypeFlag: 'DEVICE' });
    for (const entityId of [deviceId, inGroup])
      await add('group_bind', { groupId, entityTypeFlag: 'DEVICE', entityId });
    const ruleId = await addTo(session, 'rule', {
      ruleName: 'too hot',
      alarmTargetTypeFlag: 'POINT',
      entityId: pointId,
      ruleExt: { content: { condition: { field: 'calValue', operator: '>', threshold: 90 } } },
    });
    const places = { driverId, groupId, deviceId, inGroup, atDriver, elsewhere };
    return new Stage(world, session, { ...places, pointId, otherPoint, ruleId });
  }

  /** Lays an incident into the past, as the `index`th before now. */
  async lay(incident: Incident, index: number): Promise<Planted> {
    const { tenantId } = this.#session;
    const now = this.#world.app.clock.now();
    const fired = now - (index + 1) * APART_MS;
    return inTenant(this.#world.app.db, tenantId, async (q) => {
      await this.#values(q, incident, fired);
      const { cause, noise } = incident;
      for (const one of noise) await this.#put(q, one, fired);
      const found = cause ? await this.#put(q, cause, fired) : this.#gapOf(incident, fired);
      return { ...found, alarmId: await this.#alarm(q, incident, fired) };
    });
  }

  #gapOf({ gapMs }: Incident, fired: number) {
    return { kind: 'value', id: this.#plant.pointId, at: fired - (gapMs ?? 0) };
  }

  async #values(q: Queries, { everyMs, gapMs, shape, heldMs }: Incident, fired: number) {
    const last = shape === 'silence' ? fired - heldMs : fired - (gapMs ?? everyMs);
    const times = Array.from({ length: VALUES }, (_, i) => last - i * everyMs);
    if (shape !== 'silence') times.push(fired);
    await q
      .insertInto('svc_point_value')
      .values(times.map((time) => this.#value(time, 0)))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  #value(at: number, quality: number, pointId = this.#plant.pointId) {
    const { driverId, deviceId } = this.#plant;
    return {
      tenantId: this.#session.tenantId,
      deviceId,
      pointId,
      driverId,
      createTime: new Date(at),
      seq: String(quality),
      rawValue: '95',
      calValue: '95',
      numValue: 95,
      quality,
      receiveTime: new Date(at),
    };
  }

  #put(q: Queries, given: Happening, fired: number): Promise<Omit<Planted, 'alarmId'>> {
    const at = Math.round(fired - given.before);
    switch (given.kind) {
      case 'write':
        return this.#write(q, given, at);
      case 'change':
        return this.#change(q, given, at);
      case 'alarm':
        return this.#otherAlarm(q, given, at);
      case 'outage':
        return this.#outage(q, given, at);
      case 'work':
        return this.#work(q, given, at);
      case 'bad':
      default:
        return this.#bad(q, given, at);
    }
  }

  async #write(q: Queries, { at: place, end }: Extract<Happening, { kind: 'write' }>, at: number) {
    const { deviceId, inGroup, elsewhere, pointId, otherPoint } = this.#plant;
    const device = { point: deviceId, device: deviceId, group: inGroup, elsewhere }[place];
    const commandId = randomUUID();
    const time = new Date(at);
    await q
      .insertInto('svc_point_command_history')
      .values({
        commandId,
        tenantId: this.#session.tenantId,
        type: 2,
        deviceId: device,
        pointId: place === 'point' ? pointId : otherPoint,
        requestValue: '85',
        status: { proven: 2, failed: 3, unknown: 8 }[end],
        verification: end === 'proven' ? 1 : 0,
        occurTime: time,
        sendTime: time,
        finishTime: time,
        expireTime: new Date(at + 60_000),
        createTime: time,
        operateTime: time,
      })
      .execute();
    return { kind: 'command', id: commandId, at };
  }

  async #change(q: Queries, { of }: Extract<Happening, { kind: 'change' }>, at: number) {
    const { ruleId, deviceId, pointId, otherPoint, elsewhere } = this.#plant;
    const facts = {
      rule: ['rule', ruleId, '0', '0', { rule_ext: [{ threshold: 99 }, { threshold: 90 }] }],
      point: ['point', pointId, '0', pointId, { multiple: [1, 10] }],
      'other point': ['point', otherPoint, '0', otherPoint, { point_name: ['a', 'Set-point'] }],
      device: ['device', deviceId, deviceId, '0', { driver_id: [1, 2] }],
      'other device': ['device', elsewhere, elsewhere, '0', { device_name: ['a', 'Pump'] }],
    } as const;
    const [entityType, entityId, device, point, changes] = facts[of];
    await sql`
      insert into svc_change_log (tenant_id, entity_type, entity_id, entity_name, device_id, point_id, operation, changes,
        actor_name, actor_via, create_time)
      values (${this.#session.tenantId}, ${entityType}, ${entityId}, ${of}, ${device}, ${point}, 'UPDATE',
        ${JSON.stringify(changes)}::jsonb, 'anna', 'login', ${new Date(at)})`.execute(q);
    return { kind: 'change', id: entityId, at };
  }

  async #otherAlarm(q: Queries, { at: place }: Extract<Happening, { kind: 'alarm' }>, at: number) {
    const { driverId, deviceId, inGroup, atDriver, elsewhere, otherPoint } = this.#plant;
    const device = { device: deviceId, group: inGroup, driver: atDriver, elsewhere }[place];
    const id = await raise(q, {
      tenantId: this.#session.tenantId,
      target: 'POINT',
      entityId: otherPoint,
      driverId: place === 'device' || place === 'driver' ? driverId : '0',
      deviceId: device,
      pointId: otherPoint,
      ruleId: '1',
      type: 'RULE',
      source: 'RULE',
      level: AlarmLevel.P2,
      message: 'something else failed',
      ext: { ruleName: 'something else' },
      episode: { firstTriggerTime: new Date(at), lastTriggerTime: new Date(at) },
      now: at,
    });
    return { kind: 'alarm', id, at };
  }

  async #outage(q: Queries, { of, lastsMs }: Extract<Happening, { kind: 'outage' }>, at: number) {
    const { driverId, deviceId } = this.#plant;
    const isDevice = of === 'device';
    const id = await raise(q, {
      tenantId: this.#session.tenantId,
      target: isDevice ? 'DEVICE' : 'DRIVER',
      entityId: isDevice ? deviceId : driverId,
      driverId,
      deviceId: isDevice ? deviceId : '0',
      type: 'OFFLINE',
      source: 'STATE_TIMEOUT',
      level: AlarmLevel.P1,
      message: `${of} is offline`,
      episode: { firstTriggerTime: new Date(at), lastTriggerTime: new Date(at) },
      now: at,
    });
    // What still lasts at the alarm is over before the next incident.
    const over = new Date(at + (lastsMs ?? 3 * HOUR_MS));
    await q
      .updateTable('svc_entity_alarm')
      .set({ lastRecoverTime: over, stateFlag: 2 })
      .where('tenantId', '=', this.#session.tenantId)
      .where('id', '=', id)
      .execute();
    return { kind: 'alarm', id, at };
  }

  async #work(q: Queries, { of, lastsMs }: Extract<Happening, { kind: 'work' }>, at: number) {
    const { deviceId, driverId, groupId, elsewhere } = this.#plant;
    const places = {
      device: ['DEVICE', deviceId],
      group: ['GROUP', groupId],
      driver: ['DRIVER', driverId],
      plant: ['PLANT'],
      elsewhere: ['DEVICE', elsewhere],
    } as const;
    const [scope, ...entityIds] = places[of];
    const { id } = await q
      .insertInto('svc_maintenance')
      .values({
        tenantId: this.#session.tenantId,
        maintenanceName: 'new belt',
        scopeFlag: MaintenanceScope[scope],
        entityIds: JSON.stringify(entityIds),
        modeFlag: MaintenanceMode.MUTE,
        owner: 'anna',
        beginTime: new Date(at),
        endTime: new Date(at + Math.round(lastsMs)),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { kind: 'maintenance', id, at };
  }

  async #bad(q: Queries, { at: place }: Extract<Happening, { kind: 'bad' }>, at: number) {
    const { pointId, otherPoint } = this.#plant;
    const id = place === 'point' ? pointId : otherPoint;
    await q
      .insertInto('svc_point_value')
      .values({ ...this.#value(at, 2, id), numValue: null, issue: 'SENSOR_BROKEN' })
      .execute();
    return { kind: 'value', id, at };
  }

  #alarm(q: Queries, { shape, heldMs }: Incident, fired: number): Promise<string> {
    const { driverId, deviceId, pointId, ruleId } = this.#plant;
    const time = new Date(fired);
    const common = {
      tenantId: this.#session.tenantId,
      driverId,
      deviceId,
      level: AlarmLevel.P1,
      episode: { firstTriggerTime: time, lastTriggerTime: time },
      now: fired,
    };
    if (shape === 'away')
      return raise(q, {
        ...common,
        target: 'DEVICE',
        entityId: deviceId,
        type: 'OFFLINE',
        source: 'STATE_TIMEOUT',
        message: 'Device “Boiler 1” is offline',
      });
    const isSilence = shape === 'silence';
    return raise(q, {
      ...common,
      target: 'POINT',
      entityId: pointId,
      pointId,
      ruleId,
      type: 'RULE',
      source: 'RULE',
      message: '“too hot”: calValue = 95',
      ext: {
        ruleName: 'too hot',
        condition: isSilence
          ? { operator: 'nodata' }
          : { field: 'calValue', operator: '>', threshold: 90 },
        window: { mode: 'LAST', ...(heldMs > 0 && { duration: `PT${heldMs / 60_000}M` }) },
        recovery: { enabled: true },
        values: isSilence ? {} : { calValue: '95', createTime: time.toISOString() },
      },
    });
  }
}
