import { expect } from 'vitest';

import { addTo, DATA } from '../../devices/notify.ts';
import { add, onboardQuiet } from '../../devices/plant.ts';
import type { Session } from '../../people/session.ts';
import { AnyRecords } from '../../people/shapes.ts';
import type { World } from '../../world/app.ts';
import { fresh } from '../../world/fresh-name.ts';

const SECOND = 1_000;
const FIRING = 1;

export const hot = { field: 'value', operator: '>', threshold: 80 };

/** A tenant with three doors in a group, whose temperatures rules judge together. */
export async function doorsIn(world: World, session: Session) {
  const plant = await onboardQuiet(world, session);
  const groupId = await add(session, 'group', { groupName: 'doors', groupTypeFlag: 'DEVICE' });
  const doors: string[] = [];
  const binds: string[] = [];
  let seq = 0;

  const door = async (deviceName: string): Promise<string> => {
    const { driverId, profileId } = plant;
    const deviceId = await add(session, 'device', { deviceName, driverId, profileId });
    const removed = { kind: 'removed', driverCode: 'VirtualDriver', deviceId } as const;
    const { tenantId } = session;
    await world.bus.handled('svc.e.metadata', { ...removed, tenantId }, 'VirtualDriver');
    return deviceId;
  };
  const join = (entityId: string) =>
    add(session, 'group_bind', { groupId, entityTypeFlag: 'DEVICE', entityId });
  const leave = (id?: string) => session.data('/api/v3/manager/group_bind/delete', { id });

  const ruleOf = (aggregate: object, content: object = {}) => ({
    ruleName: fresh('rule'),
    alarmTargetTypeFlag: 'POINT',
    entityId: plant.temperature,
    ruleExt: {
      content: { condition: hot, devices: { groupIds: [groupId] }, aggregate, ...content },
    },
  });
  const rule = (aggregate: object, content?: object, more: object = {}): Promise<string> =>
    addTo(session, 'rule', { ...ruleOf(aggregate, content), ...more });

  /** Of each door in order: `null` is a bad value, undefined none. */
  const report = async (
    values: readonly (number | string | null | undefined)[],
    { apart = 1, behindMs = 0, pointId = plant.temperature } = {},
  ) => {
    world.clock.shift(apart * SECOND);
    const { driverId } = plant;
    const { tenantId } = session;
    const reported = values.flatMap((value, index) =>
      value === undefined
        ? []
        : {
            deviceId: doors[index] ?? '',
            pointId,
            rawValue: String(value),
            calValue: String(value),
            numValue: typeof value === 'number' ? value : null,
            quality: value === null ? (2 as const) : (0 as const),
            originTime: world.clock.now() - behindMs,
            seq: ++seq,
          },
    );
    await world.bus.handled(
      'svc.e.value',
      { tenantId, driverId, driverCode: 'VirtualDriver', node: 'test', values: reported },
      'VirtualDriver',
    );
  };
  const statesOf = async (ruleId: string) =>
    AnyRecords.parse(await session.data(`${DATA}/rule/state/list`, { ruleId })).records;
  const isFiring = async (ruleId: string): Promise<boolean> => {
    const states = await statesOf(ruleId);
    expect(states.length).toBeLessThan(2);
    return states[0]?.['entityStateFlag'] === FIRING;
  };
  const alarms = async () =>
    AnyRecords.parse(await session.data(`${DATA}/dashboard/alert/page`, { size: 10 })).records;

  for (const name of ['Door 1', 'Door 2', 'Door 3']) doors.push(await door(name));
  for (const entityId of doors) binds.push(await join(entityId));
  return {
    plant,
    groupId,
    doors,
    binds,
    door,
    join,
    leave,
    ruleOf,
    rule,
    report,
    statesOf,
    isFiring,
    alarms,
  };
}
