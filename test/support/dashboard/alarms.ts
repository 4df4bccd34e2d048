import { inTenant } from '../../../src/db/tenant.ts';
import type { Session } from '../people/session.ts';
import type { World } from '../world/app.ts';
import { pick, type Planted } from './plant.ts';

const POINT = 0;
const DRIVER = 2;

/** An alarm at each moment: of all targets, types and decisions, confirmed by a person, a policy or not at all. */
export const plantAlarms = (
  world: World,
  { tenantId, principalId }: Session,
  { devices, points }: Planted,
  times: readonly number[],
) =>
  inTenant(world.app.db, tenantId, async (q) => {
    const rows = times.map((at, n) => {
      const target = n % 4;
      const device = pick(devices.slice(0, 5), Math.floor(Math.sqrt(n * 5)));
      const own = points.filter(({ profileId }) => profileId === device.profileId);
      const pointId = target === POINT ? pick(own, n).id : '0';
      const deviceId = target === DRIVER ? '0' : device.id;
      const confirmed = n % 3 === 0;
      return {
        tenantId,
        alarmTargetTypeFlag: target,
        entityId: target === DRIVER ? device.driverId : target === POINT ? pointId : deviceId,
        driverId: device.driverId,
        deviceId,
        pointId,
        alarmTypeFlag: Math.floor(n / 4) % 5,
        alarmSourceFlag: 0,
        message: `alarm ${n}`,
        createTime: new Date(at),
        operateTime: new Date(at),
        ...(confirmed
          ? {
              confirmFlag: 1,
              confirmTime: new Date(at + 1_000 * ((n * 37) % 5_000)),
              confirmUserId: n % 2 === 0 ? principalId : '0',
            }
          : {}),
      };
    });
    for (let from = 0; from < rows.length; from += 500)
      await q
        .insertInto('svc_entity_alarm')
        .values(rows.slice(from, from + 500))
        .execute();
  });
