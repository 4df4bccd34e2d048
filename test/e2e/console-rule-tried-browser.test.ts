import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { addRule, report, site, storedRules } from '../support/console/rule-site.ts';
import { addTo, channelTo } from '../support/devices/notify.ts';
import { startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const MINUTE = 60_000;

const world = startedWorld();
const { at } = consoles(world);

describe('a rule', () => {
  it('that chatters is shown what would leave fewer alarms, which a button enters', async () => {
    const mine = await site(world, 'rule-chatters');
    const id = await addRule(mine, 'Room hot');
    const { deviceId, temperature: pointId } = mine.plant;
    const around = Array.from({ length: 12 }, () => [91, 89.5]).flat();
    const values = [80, ...around, ...Array.from({ length: 20 }, () => 95), 70];
    const begin = world.clock.now() - values.length * MINUTE;
    await mine.session.data(`${DATA}/point_value/import`, {
      values: values.map((value, index) => ({
        deviceId,
        pointId,
        value: String(value),
        createTime: new Date(begin + index * MINUTE).toISOString(),
      })),
    });
    const console = await at(`/rules/${id}`, 'rule-chatters', { width: 390 });
    const { page } = console;
    await page.getByText('It would have fired 13 times in the last 7 days.').waitFor();
    await page.getByText('The worst ten minutes have 5 alarms, from').waitFor();
    await page.getByText('Held for 1 min: 1 alarm.').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Enter the recovery' }).click();
    await page.getByText('It would have fired once in the last 7 days.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved: Room hot').waitFor();
    expect(await storedRules(mine)).toMatchObject([
      { ruleExt: { content: { recovery: { operator: '<=', threshold: 89 } } } },
    ]);
    expectQuiet(console);
  });

  it('takes chosen devices together, as its form says, and is tried and kept so', async () => {
    const mine = await site(world, 'rule-of-several');
    await report(mine);
    const id = await addRule(mine, 'Hall hot');
    const console = await at(`/rules/${id}`, 'rule-of-several', { width: 390 });
    const { page } = console;
    await page.getByText('temperature of every device with this point is above 90 °C').waitFor();
    await page.getByLabel('Devices', { exact: true }).selectOption('chosen');
    await page.getByRole('checkbox', { name: mine.deviceName }).check();
    await page.getByLabel('Taken', { exact: true }).selectOption('ANY');
    await page.getByLabel('At least so many').fill('1');
    await page.getByText('the chosen devices is above 90 °C (any device)').waitFor();
    await page.getByLabel('Taken', { exact: true }).selectOption('MEAN');
    await page.getByLabel('Devices with a value').fill('1');
    await page.getByText('the chosen devices is above 90 °C (mean of the devices)').waitFor();
    await page.getByText('It would have fired 2 times in the last 7 days.').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved: Hall hot').waitFor();
    const content = {
      devices: { ids: [mine.plant.deviceId] },
      aggregate: { function: 'MEAN', minDevices: 1 },
    };
    expect(await storedRules(mine)).toMatchObject([{ ruleExt: { content } }]);
    await page.getByRole('link', { name: 'All rules' }).click();
    await page.getByText('above 90 °C (mean of the devices)').waitFor();
    expectQuiet(console);
  });

  it('on a device is tried on what it reported and on its outages', async () => {
    const mine = await site(world, 'rule-of-device');
    const { deviceId } = mine.plant;
    const { tenantId } = mine.session;
    const faulty = { field: 'statusName', operator: 'eq', expected: 'FAULT' };
    const id = await addTo(mine.session, 'rule', {
      ruleName: 'Faulty',
      alarmTargetTypeFlag: 'DEVICE',
      entityId: '0',
      ruleExt: { content: { condition: faulty } },
    });
    const of = { tenantId, target: 'DEVICE', entityId: deviceId, type: 'FAULT' } as const;
    const said = { ...of, source: 'DEVICE_REPORT', message: 'jammed' } as const;
    const occurTime = world.clock.now();
    await world.bus.handled('svc.e.alarm', { ...said, occurTime }, tenantId);
    const console = await at(`/rules/${id}`, 'rule-of-device', { width: 390 });
    const { page } = console;
    await page.getByText('It would have fired once in the last 7 days.').waitFor();
    await page.getByText('The stored rule fired once.').waitFor();
    await page.getByText('1 change or report of 1 device').waitFor();
    await page.getByText('Outages without an alarm are not stored').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('says which channels get its alarm at a time, and which next where receivers are away', async () => {
    const mine = await site(world, 'rule-drill');
    const notifyId = await addTo(mine.session, 'notify', { notifyName: 'night' });
    const channels: string[] = [];
    for (const channelName of ['Shift', 'Manager']) {
      const channelId = await channelTo(mine.session, {
        channelName,
        channelTypeFlag: 'EMAIL',
        target: `${channelName.toLowerCase()}@example.org`,
        credential: '',
      });
      await addTo(mine.session, 'notify/channel/bind', { notifyId, channelId });
      channels.push(channelId);
    }
    const escalation = [{ channels: [channels[1]], after: 'PT30M', onFailure: true }];
    const notifyExt = { content: { escalation } };
    await mine.session.data(`${DATA}/notify/update`, { id: notifyId, notifyExt });
    const id = await addRule(mine, 'Room hot');
    await mine.session.data(`${DATA}/rule/update`, { id, notifyId });
    const console = await at(`/rules/${id}`, 'rule-drill');
    const { page } = console;
    const section = page.locator('section', { hasText: 'If it fired at this time' }).last();
    await section.getByText('Shift', { exact: true }).first().waitFor();
    await section.getByText('Escalation step 1: not confirmed for 30 min').waitFor();
    await section.getByLabel('Time').fill('2027-01-03T03:00');
    expect(await barriers(console)).toEqual([]);
    await section.getByRole('checkbox', { name: 'Shift' }).check();
    await section.getByText('its receiver does not take it').waitFor();
    await section
      .getByText('Escalation step 1: the channels before could not be reached')
      .waitFor();
    expectQuiet(console);
  });

  it('says on the page of a device which channels get its outage, when that is asked', async () => {
    const mine = await site(world, 'device-drill');
    const notifyId = await addTo(mine.session, 'notify', {
      notifyName: 'outages',
      notifyExt: { content: { alarmTypes: ['OFFLINE'] } },
    });
    const channelId = await channelTo(mine.session, {
      channelName: 'Shift',
      channelTypeFlag: 'EMAIL',
      target: 'shift@example.org',
      credential: '',
    });
    await addTo(mine.session, 'notify/channel/bind', { notifyId, channelId });
    const console = await at(`/devices/${mine.plant.deviceId}`, 'device-drill');
    const { page } = console;
    const section = page.locator('section', { hasText: 'If it were away at this time' }).last();
    await section.getByRole('button', { name: 'Show the channels' }).click();
    await section.getByText('Shift', { exact: true }).first().waitFor();
    await section.getByRole('checkbox', { name: 'Shift' }).check();
    await section.getByText('its receiver does not take it').waitFor();
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });
});
