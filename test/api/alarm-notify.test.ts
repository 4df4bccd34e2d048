import { expect, it } from 'vitest';

import { evaluate } from '../../src/alarm/rule/evaluate.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { onboardQuiet } from '../support/devices/plant.ts';
import { Records } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';

const world = startedWorld();

/** A rule whose policy has two channels, one of them disabled. */
async function watched(autoConfirmFlag: number, notifyExt: object = {}) {
  const { tenantId } = world.admin;
  const notifyId = await inTenant(world.app.db, tenantId, async (q) => {
    const { id } = await q
      .insertInto('svc_notify')
      .values({
        tenantId,
        notifyName: fresh('policy'),
        autoConfirmFlag,
        notifyExt: JSON.stringify(notifyExt),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const enableFlag of [0, 1]) {
      const channel = await q
        .insertInto('svc_notify_channel')
        .values({ tenantId, channelName: fresh('hook'), channelTypeFlag: 2, enableFlag })
        .returning('id')
        .executeTakeFirstOrThrow();
      await q
        .insertInto('svc_notify_channel_bind')
        .values({ tenantId, notifyId: id, channelId: channel.id })
        .execute();
    }
    return id;
  });
  const plant = await onboardQuiet(world, world.admin);
  const ruleId = String(
    await world.admin.data(`${DATA}/rule/add`, {
      ruleName: fresh('hot'),
      alarmTargetTypeFlag: 'POINT',
      entityId: plant.temperature,
      notifyId,
      ruleExt: { content: { condition: { field: 'value', operator: '>', threshold: 90 } } },
    }),
  );
  const { deviceId, driverId, temperature: pointId } = plant;
  let at = world.clock.now() - 60_000;
  const measure = (value: string) =>
    evaluate(world.app, tenantId, 'POINT', [
      { entityId: pointId, deviceId, driverId, pointId, values: { value }, at: (at += 1) },
    ]);
  const state = async () =>
    Records.parse(await world.admin.data(`${DATA}/rule/state/list`, { ruleId })).records[0];
  const written = () =>
    inTenant(world.app.db, tenantId, (q) =>
      q
        .selectFrom('svc_notify_history')
        .select(['alarmId', 'notifyId', 'channelTypeFlag'])
        .where('tenantId', '=', tenantId)
        .where('ruleId', '=', ruleId)
        .execute(),
    );
  return { measure, state, written, notifyId, ruleId };
}

it('writes one notification for each enabled channel with the alarm, and none while it goes on', async () => {
  const { measure, state, written, notifyId } = await watched(1);
  await measure('95');
  await measure('96');
  const firing = await state();
  expect(firing).toMatchObject({ entityStateFlag: 1, lastNotifyTime: expect.any(String) });
  expect(await written()).toEqual([{ alarmId: firing?.['alarmId'], notifyId, channelTypeFlag: 2 }]);
  await measure('10');
  expect(await state()).toMatchObject({ entityStateFlag: 2 });
});

it.each([
  ['by its flag', 0, {}],
  ['for recoveries', 1, { content: { recovery: { autoConfirmOnRecovery: true } } }],
])('needs no confirmation of what is over where the policy says so %s', async (_how, flag, ext) => {
  const { measure, state } = await watched(flag, ext);
  await measure('95');
  expect(await state()).toMatchObject({ entityStateFlag: 1 });
  await measure('10');
  expect(await state()).toMatchObject({ entityStateFlag: 3 });
});

it('needs it still where that policy is disabled', async () => {
  const { measure, state, notifyId } = await watched(0);
  await world.admin.data(`${DATA}/notify/update`, { id: notifyId, enableFlag: 'DISABLE' });
  await measure('95');
  await measure('10');
  expect(await state()).toMatchObject({ entityStateFlag: 2 });
});

it('keeps no state for a rule that another process deleted a moment ago', async () => {
  const { measure, state, ruleId } = await watched(1);
  await measure('10');
  const { tenantId } = world.admin;
  await inTenant(world.app.db, tenantId, async (q) => {
    for (const [table, column] of [
      ['svc_rule', 'id'],
      ['svc_rule_state', 'ruleId'],
    ] as const)
      await q
        .deleteFrom(table)
        .where('tenantId', '=', tenantId)
        .where(column, '=', ruleId)
        .execute();
  });
  await measure('95');
  expect(await state()).toBeUndefined();
});
