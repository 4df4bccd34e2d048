import { beforeEach, describe, expect, it } from 'vitest';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { createSilenceScan } from '../../src/alarm/watch/no-data.ts';
import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { fieldDriver, LEASE_MS } from '../support/devices/field-driver.ts';
import { addTo, watch } from '../support/devices/notify.ts';
import { startWebhookReceiver } from '../support/neighbours/webhook-receiver.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, started } from '../support/world/prepared.ts';

const MINUTE = 60_000;

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
const field = prepared(() => fieldDriver(world, hook));
beforeEach(() => {
  hook.received.length = 0;
});

const outages = { notify: { notifyExt: { content: { alarmTypes: ['OFFLINE'] } } } };

describe('a device that is away', () => {
  it('is one message with the rules on its status, and so is a driver', async () => {
    const session = await world.tenant('by-rule');
    const [deviceId = '', other = ''] = await field.devicesOf(session, 2);
    const { notifyId } = await watch(
      world,
      { channels: [{ target: hook.url }], ...outages },
      session,
    );
    for (const alarmTargetTypeFlag of ['DEVICE', 'DRIVER'])
      await addTo(session, 'rule', {
        ruleName: fresh('away'),
        alarmTargetTypeFlag,
        entityId: '0',
        notifyId,
        ruleExt: {
          content: {
            condition: { field: 'statusName', operator: 'eq', expected: 'OFFLINE' },
            severity: 'P1',
          },
        },
      });
    await field.heard(session, [deviceId, other]);
    for (let part = 0; part < 2; part += 1) {
      world.clock.shift(LEASE_MS - 5_000);
      await field.heard(session, [other]);
    }
    await scanOutages(world.app);
    await sweepLedger(world.app);
    await field.says(session, 'alarm.fired DEVICE');
    const cause = await field.outageOf(session, 'Device “boiler');
    const alert = '/api/v3/data/dashboard/alert';
    const explains = (id: string) => session.data(`${alert}/report`, undefined, { alarm_id: id });
    expect(await explains(cause)).toMatchObject({ explains: 1 });
    await field.heard(session, [deviceId, other]);
    await scanOutages(world.app);
    await field.says(session, 'alarm.recovered DEVICE');
    world.clock.shift(2 * LEASE_MS);
    await scanOutages(world.app);
    await sweepLedger(world.app);
    await field.says(session, 'alarm.fired DRIVER');
    expect(await explains(await field.outageOf(session, 'Driver “Field'))).toMatchObject({
      explains: 5,
    });
    expect(field.saidOf(session)).toEqual([
      expect.stringMatching(/^alarm\.fired DEVICE Device /),
      expect.stringMatching(/^alarm\.recovered DEVICE /),
      expect.stringMatching(/^alarm\.fired DRIVER Driver /),
    ]);
  });

  it('is one message: its silent points are explained, unless they are more urgent', async () => {
    const session = await world.tenant('points');
    const [deviceId = ''] = await field.devicesOf(session, 1);
    const { notifyId } = await watch(
      world,
      { channels: [{ target: hook.url }], ...outages },
      session,
    );
    for (const severity of ['P2', 'P0'])
      await addTo(session, 'rule', {
        ruleName: severity,
        alarmTargetTypeFlag: 'POINT',
        entityId: '0',
        notifyId,
        ruleExt: {
          content: {
            condition: { operator: 'nodata' },
            window: { duration: 'PT5M' },
            severity,
          },
        },
      });
    await field.heard(session, [deviceId]);
    for (let minute = 0; minute < 8; minute += 1) {
      world.clock.shift(MINUTE);
      await field.heard(session, []);
    }
    await scanOutages(world.app);
    await field.says(session, 'alarm.fired DEVICE');
    await createSilenceScan(world.app)([]);
    await sweepLedger(world.app);
    // Those of other devices, which are not away, are sent.
    const rules = () =>
      hook.received
        .map(({ body }) => JSON.parse(body).data)
        .filter((data) => data.deviceId === deviceId && data.target === 'POINT')
        .map(({ ruleName }) => ruleName);
    await eventually(
      async () => rules(),
      (all) => all.length === 2,
    );
    expect(rules()).toEqual(['P0', 'P0']);
  });

  it('is repeated as often as its policy says, and so is a silence, without another fact', async () => {
    const session = await world.tenant('repeated');
    const [deviceId = ''] = await field.devicesOf(session, 1);
    const repeat = { enabled: true, intervalMs: 10 * MINUTE, maxTimes: 9 };
    const { notifyId } = await watch(
      world,
      {
        channels: [{ target: hook.url }],
        notify: { notifyExt: { content: { alarmTypes: ['OFFLINE'], repeat } } },
      },
      session,
    );
    await addTo(session, 'rule', {
      ruleName: 'silent',
      alarmTargetTypeFlag: 'POINT',
      entityId: '0',
      notifyId,
      ruleExt: {
        content: {
          condition: { operator: 'nodata' },
          window: { duration: 'PT1M' },
          severity: 'P0',
        },
      },
    });
    await field.heard(session, [deviceId]);
    for (let minute = 0; minute < 2; minute += 1) {
      world.clock.shift(MINUTE);
      await field.heard(session, []);
    }
    await scanOutages(world.app);
    await createSilenceScan(world.app)([]);
    const counts = (part: string) => {
      const fired = field.saidOf(session).filter((line) => line.startsWith('alarm.fired'));
      return fired.filter((line) => line.includes(part)).length;
    };
    // Both points of the three devices.
    const silent = 6;
    for (let round = 1; round <= 4; round += 1) {
      await sweepLedger(world.app);
      await eventually(
        async () => [counts('“boiler'), counts('“silent”')],
        ([away, points]) => away === round && points === round * silent,
      );
      world.clock.shift(10 * MINUTE);
    }
  });
});
