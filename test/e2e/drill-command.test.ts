import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { watched } from '../support/devices/watched.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { type FreshDatabase, freshDatabase } from '../support/world/database.ts';
import { startProcess } from '../support/world/process.ts';

const DATA = '/api/v3/data';

let data: FreshDatabase;
let world: World;
let ruleId: string;
beforeAll(async () => {
  data = await freshDatabase();
  world = await startWorld({ database: data });
  const { admin } = world;
  const { tenantId: id } = admin;
  await admin.data('/api/v3/auth/tenant/update', { id, timezone: 'Europe/Berlin' });
  const notifyId = await admin.data(`${DATA}/notify/add`, { notifyName: 'Night' });
  const channel = async (channelName: string, bindExt = {}): Promise<unknown> => {
    const target = 'shift@example.org';
    const given = { channelName, channelTypeFlag: 'EMAIL', target };
    const channelId = await admin.data(`${DATA}/notify/channel/add`, given);
    await admin.data(`${DATA}/notify/channel/bind/add`, { notifyId, channelId, bindExt });
    return channelId;
  };
  const operator = await channel('Operator');
  const manager = await channel('Manager');
  const windows = [{ timezone: 'Europe/Berlin', start: '22:00', end: '21:00' }];
  await channel('Office', { content: { quiet: { windows } } });
  const escalation = [{ channels: [manager], after: 'PT10M' }];
  await admin.data(`${DATA}/notify/update`, {
    id: notifyId,
    notifyExt: { content: { escalation } },
  });
  const outages = await admin.data(`${DATA}/notify/add`, {
    notifyName: 'Outages',
    notifyExt: { content: { alarmTypes: ['OFFLINE'] } },
  });
  await admin.data(`${DATA}/notify/channel/bind/add`, { notifyId: outages, channelId: operator });
  const given = { notifyId: String(notifyId), severity: 'P1' };
  ({ ruleId } = await watched(world, admin, 'boiler', given));
  await watched(world, admin, 'pump', given);
  await world.halt();
});
afterAll(() => world.stop());

/** `svc drill …` while the platform is stopped, which the embedded database needs. */
async function drill(...words: string[]) {
  const child = startProcess(['src/main.ts', 'drill', ...words], world.environment);
  const { code } = await child.exited;
  return { code, output: child.output.join('\n') };
}

describe('svc drill', () => {
  it('prints which channels get the alarm of a rule, by the clock of the plant, and which do not', async () => {
    const night = ['--at', '2026-11-29T03:00', '--hours', '2'];
    const named = await drill('--rule', 'boiler too hot', ...night);
    expect(named).toEqual({
      code: 0,
      output: [
        'boiler too hot (P1) fires from 2026-11-29 03:00 to 2026-11-29 05:00 (Europe/Berlin), and no person confirms it:',
        '2026-11-29 03:00  Operator',
        '2026-11-29 03:10  Manager  Escalation step 1: not confirmed for 10 min',
        '',
        'Office does not know of it at the end: it has quiet hours now',
      ].join('\n'),
    });
    const offset = await drill('--rule', ruleId, '--at', '2026-11-29T02:00:00Z', '--hours', '2');
    expect(offset).toEqual(named);
  });

  it('is of a device that is away too, and goes on where receivers are away', async () => {
    const night = ['--at', '2026-11-29T03:00', '--hours', '1'];
    const away = await drill('--device', 'boiler device', ...night);
    expect(away).toEqual({
      code: 0,
      output: [
        'boiler device (P1) is away from 2026-11-29 03:00 to 2026-11-29 04:00 (Europe/Berlin), and no person confirms it:',
        '2026-11-29 03:00  Operator',
      ].join('\n'),
    });
    const failing = await drill('--rule', ruleId, ...night, '--failing', 'Operator', 'Manager');
    expect(failing.output).toContain('2026-11-29 03:00  Operator  its receiver does not take it');
    expect(failing.output).toContain('Manager does not know of it at the end');
  });

  it('names the rule, time or tenant that is not there', async () => {
    const said = async (...words: string[]) => (await drill(...words)).output;
    expect(await said('--rule', 'no such')).toBe('there is no rule no such');
    expect(await said('--device', 'no such')).toBe('there is no device no such');
    expect(await said('--rule', ruleId, '--failing', 'none')).toBe('there is no channel none');
    expect(await said()).toBe('name a rule (--rule) or a device (--device)');
    expect(await said('--rule', ruleId, '--device', '1')).toMatch(/^name a rule/);
    expect(await said('--rule', ruleId, '--at', 'tonight')).toMatch(/--at must be a time such as/);
    expect(await said('--rule', ruleId, '--hours', '100')).toMatch(/hours/);
    const nowhere = await drill('--rule', ruleId, '--tenant', 'nowhere');
    expect(nowhere).toEqual({ code: 1, output: 'there is no tenant nowhere' });
  });
});
