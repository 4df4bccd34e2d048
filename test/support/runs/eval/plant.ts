import { z } from 'zod';

import { inTenant } from '../../../../src/db/tenant.ts';
import { report } from '../../../tools/agent.ts';
import { addTo } from '../../devices/notify.ts';
import { addProvider } from '../../neighbours/providers.ts';
import { ACTIONS } from '../../people/actions.ts';
import type { Session } from '../../people/session.ts';
import type { World } from '../../world/app.ts';
import { confirmSeen } from '../confirm-seen.ts';
import { BOILERS, buildSite, endpointOf, HIDDEN } from '../tour/site.ts';
import type { DialectName, Vendor } from './vendors.ts';

const TYPES: Record<DialectName, string> = { openai: 'OPENAI_COMPATIBLE', anthropic: 'ANTHROPIC' };
const OLD_MS = 40 * 60_000;
const WAIT_MS = 15_000;
const STOPPED = 'Pump stopped';
const OLD_ROOM = 'Room 201';

const Pending = z.array(z.looseObject({ actionId: z.string() }));

export type Plant = Awaited<ReturnType<typeof openPlant>>;

/** The boiler house of the tour in a tenant of its own, with known values, one alarm, and a vendor of one dialect. */
export async function openPlant(world: World, dialect: DialectName, vendor: Vendor) {
  const session = await world.tenant(`eval-${dialect}`);
  await addProvider(session, {
    name: dialect,
    providerType: TYPES[dialect],
    baseUrl: vendor.baseUrl,
    apiKey: 'key',
    model: 'm',
  });
  const site = await buildSite(session, (name) => `${endpointOf(name)}-${dialect}`);
  await addTo(session, 'rule', {
    ruleName: STOPPED,
    alarmTargetTypeFlag: 'POINT',
    entityId: site.place('Boiler 3', 'pump running').pointId,
    ruleExt: {
      content: {
        condition: { field: 'calValue', operator: 'eq', expected: 'false' },
        severity: 'P1',
      },
    },
  });
  for (const [device, points] of Object.entries(BOILERS))
    for (const [point, value] of Object.entries(points))
      await reportText(world, session, site.place(device, point), value);
  await reportText(world, session, site.note, HIDDEN.value);
  world.clock.shift(-OLD_MS);
  await report(world, session, site.place(OLD_ROOM, 'set-point'), [20]);
  world.clock.shift(OLD_MS);
  return {
    dialect,
    world,
    session,
    vendor,
    site,
    confirm: (actionId: string) => confirmSeen(session, actionId, WAIT_MS),
    reject: (actionId: string) =>
      session.data(`${ACTIONS}/reject`, { action_id: actionId, reason: 'not now' }),
    state: () => stateOf(world, session),
    /** Rejects what still waits, so that one task leaves nothing to the next. */
    async clear() {
      const waiting = Pending.parse(await session.data(`${ACTIONS}/pending`, undefined, {}));
      for (const { actionId } of waiting)
        await session.data(`${ACTIONS}/reject`, { action_id: actionId, reason: 'over' });
    },
  };
}

async function reportText(
  { app, bus }: World,
  { tenantId }: Session,
  at: { deviceId: string; pointId: string; driverId: string; driverCode: string },
  value: string,
): Promise<void> {
  const number = Number(value);
  await bus.handled(
    'svc.e.value',
    {
      tenantId,
      driverId: at.driverId,
      driverCode: at.driverCode,
      node: 'test',
      values: [
        {
          deviceId: at.deviceId,
          pointId: at.pointId,
          rawValue: value,
          calValue: value,
          numValue: Number.isFinite(number) ? number : null,
          originTime: app.clock.now(),
          seq: 0,
          quality: 0,
        },
      ],
    },
    tenantId,
  );
}

/** Proposals and commands as the tables have them, oldest first. */
const stateOf = ({ app }: World, { tenantId }: Session) =>
  inTenant(app.db, tenantId, async (q) => ({
    actions: await q
      .selectFrom('svc_action')
      .select(['actionId', 'status', 'payload'])
      .where('tenantId', '=', tenantId)
      .orderBy('id')
      .execute(),
    commands: await q
      .selectFrom('svc_point_command_history')
      .select(['actionId', 'requestValue', 'status'])
      .where('tenantId', '=', tenantId)
      .where('actionId', 'is not', null)
      .orderBy('id')
      .execute(),
  }));
