import { inTenant } from '../../../src/db/tenant.ts';
import type { Session } from '../people/session.ts';
import type { World } from '../world/app.ts';

const MINUTE = 60_000;

/** `fires`: it still does; `confirmedAfter`: minutes until a person confirmed it. */
type Given = { ruleId: string; deviceId: string; fires?: boolean; confirmedAfter?: number };

/** Alarms of a rule that were raised so many minutes ago, stored without an evaluation. */
export const raised = (
  world: World,
  { tenantId, principalId }: Session,
  { ruleId, deviceId, fires = false, confirmedAfter }: Given,
  minutesAgo: readonly number[],
) =>
  inTenant(world.app.db, tenantId, async (q) => {
    const rows = minutesAgo.map((minutes) => {
      const at = world.clock.now() - minutes * MINUTE;
      return {
        tenantId,
        alarmTargetTypeFlag: 0,
        entityId: '1',
        deviceId,
        ruleId,
        alarmTypeFlag: 0,
        alarmSourceFlag: 0,
        message: 'too hot',
        stateFlag: fires ? 1 : 2,
        createTime: new Date(at),
        operateTime: new Date(at),
        ...(confirmedAfter !== undefined && {
          confirmFlag: 1,
          confirmTime: new Date(at + confirmedAfter * MINUTE),
          confirmUserId: principalId,
        }),
      };
    });
    await q.insertInto('svc_entity_alarm').values(rows).execute();
  });
