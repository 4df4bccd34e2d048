import { z } from 'zod';

import { inTenant } from '../../../../src/db/tenant.ts';
import type { Session } from '../../people/session.ts';
import type { World } from '../../world/app.ts';

const Card = z.looseObject({ proposedValue: z.string() });

/** The latest values of the tenant. */
export const latestOf = ({ app }: World, { tenantId }: Session) =>
  inTenant(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_point_latest')
      .select(['calValue', 'createTime'])
      .where('tenantId', '=', tenantId)
      .execute(),
  );

/** What became of the notifications of alarms of the tenant. */
export const deliveriesOf = ({ app }: World, { tenantId }: Session) =>
  inTenant(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_notify_history')
      .select('statusFlag')
      .where('tenantId', '=', tenantId)
      .where('alarmId', '!=', '0')
      .execute(),
  );

/** What the tables say at the end of a tour. */
export async function tablesOf(world: World, session: Session) {
  const { tenantId } = session;
  const latest = await latestOf(world, session);
  const oldest = Math.min(...latest.map(({ createTime }) => createTime.getTime()));
  return inTenant(world.app.db, tenantId, async (q) => {
    const devices = await q
      .selectFrom('svc_device')
      .select('id')
      .where('tenantId', '=', tenantId)
      .execute();
    const actions = await q
      .selectFrom('svc_action')
      .select(['actionId', 'status', 'payload'])
      .where('tenantId', '=', tenantId)
      .execute();
    const commands = await q
      .selectFrom('svc_point_command_history')
      .select(['actionId', 'requestValue'])
      .where('tenantId', '=', tenantId)
      .execute();
    return {
      devices: devices.length,
      actions: actions.map(({ actionId, status, payload }) => ({
        actionId,
        status,
        proposedValue: Card.parse(payload).proposedValue,
      })),
      commands,
      commandsOf: (actionId: string) => commands.filter((command) => command.actionId === actionId),
      /** Seconds since the oldest of the latest values. */
      oldestS: (world.clock.now() - oldest) / 1000,
    };
  });
}
