import { z } from 'zod';

import type { World } from './app.ts';
import { eventually } from './eventually.ts';
import type { Session } from './session.ts';

const Id = z.string().min(1);
const Records = z.object({ records: z.array(z.looseObject({ id: Id })) });

type Add = (path: string, body: object) => Promise<string>;

/** A rule on a point, and the alarm that one value of it raised. */
export async function populateAlarms(
  world: World,
  session: Session,
  add: Add,
  { driver, device, point, event }: Record<'driver' | 'device' | 'point' | 'event', string>,
) {
  const data = '/api/v3/data';
  const rule = await add(`${data}/rule/add`, {
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
  const eventRecord = await add(`${data}/event_history/report`, {
    deviceId: device,
    eventId: event,
  });
  return {
    rule,
    eventRecord,
    ruleState: Id.parse(state?.id),
    alarm: Id.parse(state?.['alarmId']),
  };
}
