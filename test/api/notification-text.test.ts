import { afterAll, describe, expect, it } from 'vitest';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { DATA, SUCCESS, watch } from '../support/devices/notify.ts';
import { startMailServer, wordsOf } from '../support/neighbours/mail-server.ts';
import { startWorld } from '../support/world/app.ts';
import { prepared } from '../support/world/prepared.ts';

const MINUTE = 60_000;
const TIME = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+05:30`;

const mail = prepared(startMailServer);
const world = prepared(async () => {
  const started = await startWorld({
    environment: { SVC_SMTP_URL: mail.url, SVC_MAIL_FROM: 'alarms@example.org' },
  });
  // The test itself calls it under its port.
  started.app.config.baseUrl = 'https://plant.example.org';
  return started;
});
afterAll(async () => {
  await world?.stop();
  await mail?.stop();
});

const condition = { field: 'calValue', operator: '>', threshold: 90, unit: '°C' };

describe('a message', () => {
  it('says what is wrong, where, since when and what to do, at first, as a reminder and at the end', async () => {
    const { tenantId } = world.admin;
    await world.admin.data('/api/v3/auth/tenant/update', {
      id: tenantId,
      timezone: 'Asia/Kolkata',
    });
    const repeat = { enabled: true, intervalMs: 60 * MINUTE, maxTimes: 3 };
    const watched = await watch(world, {
      content: { condition },
      rule: { ruleName: 'Cold store too warm' },
      notify: { notifyExt: { content: { repeat } } },
      channels: [
        { channelName: 'Shift', channelTypeFlag: 'EMAIL', target: 'shift@example.org' },
        { channelName: 'Pager', channelTypeFlag: 'EMAIL', target: 'pager@example.org' },
      ],
    });
    await watched.measure(96);
    await watched.until(SUCCESS, SUCCESS);
    const alarmId = (await watched.state())?.alarmId;
    const toShift = (nth: number) => {
      const found = mail.mails.filter(({ to }) => to[0] === 'shift@example.org')[nth];
      return {
        subject: wordsOf(found?.headers['subject']),
        lines: found?.text.trim().split(/\r?\n/),
      };
    };
    const place = [
      expect.stringMatching(/^Device: "thermostat-[\w-]+"$/),
      'Point: "temperature"',
      'Rule: "Cold store too warm"',
    ];
    const link = `Confirm, after login: https://plant.example.org/console/alarms/${alarmId}`;
    expect(toShift(0)).toEqual({
      subject: '[P1] "Cold store too warm" fired',
      lines: [
        '"temperature" is 96 °C, above 90 °C by 6 °C',
        ...place,
        expect.stringMatching(new RegExp(`^Since: ${TIME}$`)),
        link,
        `Alarm: ${alarmId}`,
      ],
    });

    world.clock.shift(70 * MINUTE);
    const { deviceId, driverId, temperature: pointId } = watched.plant;
    const createTime = new Date(world.clock.now() - 10_000);
    const latest = { rawValue: '97', calValue: '97', numValue: 97, seq: '1', createTime };
    await inTenant(world.app.db, tenantId, (q) =>
      q
        .insertInto('svc_point_latest')
        .values({ tenantId, deviceId, driverId, pointId, ...latest, receiveTime: createTime })
        .execute(),
    );
    await sweepLedger(world.app);
    await watched.until(...Array.from({ length: 4 }, () => SUCCESS));
    expect(toShift(1)).toEqual({
      subject: '[P1] still firing: "Cold store too warm"',
      lines: [
        'Still firing after 1 h 10 min (reminder 1): "temperature" was 96 °C, above 90 °C by 6 °C',
        expect.stringMatching(/^Now: 97(?: °C)?, measured \d+ s ago$/),
        ...place,
        expect.stringMatching(new RegExp(`^Since: ${TIME}$`)),
        'Also sent to: "Pager"',
        link,
        `Alarm: ${alarmId}`,
      ],
    });

    await watched.measure(20);
    await watched.until(...Array.from({ length: 6 }, () => SUCCESS));
    expect(toShift(2)).toEqual({
      subject: '[P1] "Cold store too warm" recovered',
      lines: [
        'Over after 1 h 10 min: "temperature" is 20 °C',
        ...place,
        expect.stringMatching(new RegExp(`^From ${TIME} to ${TIME}$`)),
        'Also sent to: "Pager"',
        link,
        `Alarm: ${alarmId}`,
      ],
    });
  });

  it('of an alarm that an edit ends says so', async () => {
    mail.mails.length = 0;
    const watched = await watch(world, {
      content: { condition },
      channels: [{ channelTypeFlag: 'EMAIL', target: 'shift@example.org' }],
    });
    await watched.measure(96);
    await watched.until(SUCCESS);
    await world.admin.data(`${DATA}/rule/update`, { id: watched.ruleId, enableFlag: 'DISABLE' });
    await sweepLedger(world.app);
    await watched.until(SUCCESS, SUCCESS);
    expect(wordsOf(mail.mails[1]?.headers['subject'])).toMatch(/ ended$/);
    expect(mail.mails[1]?.text).toMatch(
      /^Over after \d+ s, because its rule was disabled: "temperature" was 96 °C, above 90 °C by 6 °C\r?\n/,
    );
  });
});
