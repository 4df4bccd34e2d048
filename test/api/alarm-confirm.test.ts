import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { onboard } from '../support/devices/plant.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { request } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';

const ALERT = '/api/v3/data/dashboard/alert';
const Alert = z.looseObject({ id: z.string(), source: z.string(), confirmFlag: z.number() });
const Alerts = z.object({ records: z.array(Alert) });

describe('confirming an alarm', () => {
  let alarm: z.infer<typeof Alert>;

  const alarms = async () =>
    Alerts.parse(await world.admin.data(`${ALERT}/page`, { source: 'device', size: 200 })).records;
  const current = async () => (await alarms()).find(({ id }) => id === alarm.id);
  const logged = async () =>
    z.array(z.looseObject({ action: z.string(), principalId: z.string() })).parse(
      await world.admin.data('/api/v3/auth/identity_audit/list', {
        resourceType: 'ALARM',
        resourceId: alarm.id,
      }),
    );

  const world = startedWorld();
  beforeAll(async () => {
    const { deviceId } = await onboard(world.admin);
    await world.bus.handled(
      'svc.e.alarm',
      {
        tenantId: world.admin.tenantId,
        target: 'DEVICE',
        entityId: deviceId,
        type: 'FAULT',
        source: 'DEVICE_REPORT',
        message: 'the pump is blocked',
        occurTime: world.clock.now(),
      },
      world.admin.tenantId,
    );
    const [raised] = await alarms();
    alarm = Alert.parse(raised);
  });

  it('takes a person: no token does, whatever its scopes', async () => {
    const scope = 'svc:read svc:read-device svc:propose svc:chat';
    const token = await bearerFor(world.admin, { scope, roleCode: 'admin', audience: 'api' });
    const item = { source: 'device', id: alarm.id };
    for (const [path, body] of [
      ['confirm', item],
      ['unconfirm', item],
      ['bulk_confirm', { items: [item] }],
    ] as const) {
      const headers = { authorization: `Bearer ${token}` };
      const { status } = await request(world.base, 'POST', `${ALERT}/${path}`, { headers, body });
      expect(status, path).toBe(403);
    }
    expect(await current()).toMatchObject({ confirmFlag: 0, confirmUserId: '0' });
    expect(await logged()).toEqual([]);
  });

  it('says which person it was, and when, and keeps what was taken back', async () => {
    const { principalId } = z.object({ principalId: z.string() }).parse(
      await world.admin.data('/api/v3/auth/user_profile/get_by_name', undefined, {
        name: 'admin',
      }),
    );
    await world.admin.data(`${ALERT}/confirm`, { source: 'device', id: alarm.id });
    expect(await current()).toMatchObject({
      confirmFlag: 1,
      confirmUserId: principalId,
      confirmUserName: 'admin',
      confirmTime: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    await world.admin.data(`${ALERT}/bulk_confirm`, {
      confirm: false,
      items: [{ source: 'device', id: alarm.id }],
    });
    expect(await current()).toMatchObject({ confirmFlag: 0, confirmUserName: null });
    expect((await logged()).map(({ action, principalId: by }) => [action, by])).toEqual([
      ['UNCONFIRM', principalId],
      ['CONFIRM', principalId],
    ]);
  });

  it('keeps the note of the one confirmation that holds, and forgets it with that', async () => {
    const item = { source: 'device', id: alarm.id };
    const noteOf = async () =>
      z
        .looseObject({ confirmNote: z.string() })
        .parse(await world.admin.data(`${ALERT}/report`, undefined, { alarm_id: alarm.id }))
        .confirmNote;
    await world.admin.data(`${ALERT}/unconfirm`, item);
    await world.admin.data(`${ALERT}/confirm`, { ...item, note: 'the pump is being changed' });
    await world.admin.data(`${ALERT}/confirm`, { ...item, note: 'said too late' });
    expect(await noteOf()).toBe('the pump is being changed');
    expect(await current()).toMatchObject({ confirmNote: 'the pump is being changed' });
    await world.admin.data(`${ALERT}/unconfirm`, item);
    expect(await noteOf()).toBe('');
    const long = await world.admin.post(`${ALERT}/confirm`, { ...item, note: 'x'.repeat(201) });
    expect(long.status).toBe(400);
  });
});
