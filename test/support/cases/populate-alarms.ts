import { z } from 'zod';

import type { Session } from '../people/session.ts';
import { Records } from '../people/shapes.ts';
import type { World } from '../world/app.ts';
import { eventually } from '../world/eventually.ts';

const Id = z.string().min(1);

const Imported = z.object({ importId: z.string() });

type Add = (path: string, body: object) => Promise<string>;

/** A rule on a point, the alarm that one value of it raised, and who was told of it. */
export async function populateAlarms(
  world: World,
  session: Session,
  add: Add,
  { driver, device, point, event }: Record<'driver' | 'device' | 'point' | 'event', string>,
) {
  const data = '/api/v3/data';
  const maintenance = await add(`${data}/maintenance/add`, {
    maintenanceName: 'belt change',
    scopeFlag: 'DEVICE',
    entityIds: [device],
    modeFlag: 'MARK',
    beginTime: new Date(world.clock.now() + 80 * 86_400_000).toISOString(),
    endTime: new Date(world.clock.now() + 81 * 86_400_000).toISOString(),
  });
  const retentionClass = await add(`${data}/retention_class/add`, {
    className: 'ten years',
    defaultFlag: true,
    valueDays: 3_650,
  });
  const retentionHold = await add(`${data}/retention_hold/add`, {
    holdName: 'incident',
    deviceId: device,
    toTime: new Date(0).toISOString(),
    reason: 'it is looked into',
  });
  const past = { deviceId: device, pointId: point, value: '5', createTime: '2025-01-01T00:00:00Z' };
  const { importId } = Imported.parse(
    await session.data(`${data}/point_value/import`, { values: [past] }),
  );
  const channel = await add(`${data}/notify/channel/add`, {
    channelName: 'operator',
    channelTypeFlag: 'EMAIL',
    target: 'operator@example.org',
  });
  const notify = await add(`${data}/notify/add`, { notifyName: 'operators' });
  const bind = await add(`${data}/notify/channel/bind/add`, {
    notifyId: notify,
    channelId: channel,
  });
  const message = await add(`${data}/message/add`, { messageName: 'plain words' });
  const rule = await add(`${data}/rule/add`, {
    notifyId: notify,
    messageId: message,
    ruleName: 'any value',
    alarmTargetTypeFlag: 'POINT',
    entityId: point,
    ruleExt: { content: { condition: { field: 'calValue', operator: 'exists' } } },
  });
  const said = { rawValue: '5', calValue: '5', numValue: 5, quality: 0 as const };
  const value = { ...said, deviceId: device, pointId: point, seq: 0 };
  await world.app.bus.publish(
    'svc.e.value',
    {
      tenantId: session.tenantId,
      driverId: driver,
      driverCode: 'VirtualDriver',
      node: 'test',
      values: [{ ...value, originTime: world.clock.now() }],
    },
    { key: 'VirtualDriver' },
  );
  const state = await eventually(
    async () =>
      Records.parse(await session.data(`${data}/rule/state/list`, { ruleId: rule })).records[0],
    (found) => found !== undefined,
  );
  const alarm = Id.parse(state?.['alarmId']);
  await session.data(`${data}/dashboard/alert/comment`, { id: alarm, text: 'looked at' });
  const FAILED = 3; // There is no mail server, so this is the end of it.
  const told = await eventually(
    async () =>
      Records.parse(await session.data(`${data}/notify/history/list`, { ruleId: rule })).records[0],
    (found) => found?.['statusFlag'] === FAILED,
  );
  const eventRecord = await add(`${data}/event_history/report`, {
    deviceId: device,
    eventId: event,
  });
  return {
    maintenance,
    retentionClass,
    retentionHold,
    valueImport: importId,
    rule,
    notify,
    channel,
    bind,
    message,
    notification: Id.parse(told?.id),
    eventRecord,
    ruleState: Id.parse(state?.id),
    alarm,
  };
}
