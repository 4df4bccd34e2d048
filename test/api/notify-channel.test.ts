import { describe, expect, it } from 'vitest';

import { inTenant } from '../../src/db/tenant.ts';
import { unseal } from '../../src/kernel/secret.ts';
import { channelTo, DATA } from '../support/devices/notify.ts';
import { webhookSecret } from '../support/neighbours/delivery.ts';
import { worker } from '../support/people/accounts.ts';
import type { Session } from '../support/people/session.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();

const post = (path: string, body: object) => world.admin.post(`${DATA}/${path}`, body);
const one = (path: string, id: string) =>
  world.admin.data(`${DATA}/${path}/get_by_id`, undefined, { id });

describe('a channel', () => {
  const stored = async (id: string) => {
    const { tenantId } = world.admin;
    const { credential } = await inTenant(world.app.db, tenantId, (q) =>
      q
        .selectFrom('svc_notify_channel')
        .select('credential')
        .where('tenantId', '=', tenantId)
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
    );
    const place = { table: 'svc_notify_channel', tenantId, id };
    return credential && unseal(world.app.keys.channelCredential, place, credential);
  };
  const sms = (url: string) => ({
    channelExt: {
      content: {
        url,
        headers: { Authorization: 'Bearer {{credential}}' },
        body: '{"to": "{{to}}", "text": "{{text}}"}',
      },
    },
  });

  it('keeps its secret to itself, sealed for its own row', async () => {
    const id = await channelTo(world.admin, { target: 'https://hooks.example.org/a' });
    const answers = [
      await one('notify/channel', id),
      await world.admin.data(`${DATA}/notify/channel/list`, {}),
    ];
    expect(answers[0]).toMatchObject({ credentialSet: true, channelTypeFlag: 2 });
    expect(JSON.stringify(answers)).not.toContain(webhookSecret.slice(6));
    expect(await stored(id)).toBe(webhookSecret);
    const other = await channelTo(world.admin, { target: 'https://hooks.example.org/b' });
    const { tenantId } = world.admin;
    await inTenant(world.app.db, tenantId, async (q) => {
      const { credential } = await q
        .selectFrom('svc_notify_channel')
        .select('credential')
        .where('tenantId', '=', tenantId)
        .where('id', '=', other)
        .executeTakeFirstOrThrow();
      await q
        .updateTable('svc_notify_channel')
        .set({ credential })
        .where('tenantId', '=', tenantId)
        .where('id', '=', id)
        .execute();
    });
    expect(await stored(id)).toBeNull();
  });

  it('keeps its secret on its host, and loses it to another, or to other settings, unless a new one comes along', async () => {
    const telephone = { target: '+4930123456', channelTypeFlag: 'SMS', credential: 'key-of-a' };
    const id = await channelTo(world.admin, { ...telephone, ...sms('https://a.example.org/send') });
    const change = (body: object) =>
      world.admin.data(`${DATA}/notify/channel/update`, { id, ...body });
    await change({ ...sms('https://a.example.org/send'), target: '+4930999999' });
    expect(await stored(id)).toBe('key-of-a');
    const { content } = sms('https://a.example.org/send').channelExt;
    const aloud = {
      ...content,
      body: '{"to": "{{to}}", "text": "{{text}}", "by": "{{credential}}"}',
    };
    for (const other of [
      sms('https://a.example.org:8443/send'),
      sms('https://a.example.org/other'),
      { channelExt: { content: aloud } },
    ]) {
      await change({ ...sms('https://a.example.org/send'), credential: 'key-of-a' });
      await change(other);
      expect(await stored(id)).toBe('');
      expect(await one('notify/channel', id)).toMatchObject({ credentialSet: false });
    }
    await change({ ...sms('https://b.example.org/send'), credential: 'key-of-b' });
    expect(await stored(id)).toBe('key-of-b');
    await change({ credential: '' });
    expect(await stored(id)).toBe('');
    const hook = await channelTo(world.admin, { target: 'https://hooks.example.org/a' });
    const moved = await post('notify/channel/update', {
      id: hook,
      target: 'https://evil.example.org/',
    });
    expect(moved.status).toBe(422);
    expect(await stored(hook)).toBe(webhookSecret);
  });

  it('shows where it leads to who may change it alone, in every answer', async () => {
    const secret = 'https://hooks.example.org/services/T000/B000/SECRETSECRET';
    const gateway = 'https://sms.example.org/send?key=GATEWAYSECRET';
    const tenant = await world.tenant(fresh('looked-at'));
    const id = await channelTo(tenant, { target: secret });
    const short = await channelTo(tenant, { target: 'https://hooks.example.org/a' });
    const add = { channelName: 'SMS', channelTypeFlag: 'SMS', target: '+4915112345678' };
    const sent = await tenant.data(`${DATA}/notify/channel/add`, { ...add, ...sms(gateway) });
    await inTenant(world.app.db, tenant.tenantId, (q) =>
      q
        .insertInto('svc_notify_history')
        .values({
          tenantId: tenant.tenantId,
          channelId: id,
          channelTypeFlag: 2,
          target: secret,
          alarmId: '0',
        })
        .execute(),
    );
    const { session: viewer } = await worker(tenant, [
      'svc-center-data:notify_channel:list',
      'svc-center-data:notify_channel:get',
      'svc-center-data:notify_history:list',
      'svc-center-data:change:list',
    ]);
    const answersTo = async (session: Session) => [
      await session.data(`${DATA}/notify/channel/list`, {}),
      await session.data(`${DATA}/notify/channel/get_by_id`, undefined, { id }),
      await session.data(`${DATA}/notify/history/list`, {}),
      await session.data(`${DATA}/notify/history/list`, { target: 'SECRETS' }),
      await session.data(`${DATA}/change/list`, { limit: 100 }),
    ];
    const seen = await answersTo(viewer);
    expect(JSON.stringify(seen)).not.toMatch(/B000|SECRETS|GATEWAYSECRET|Bearer/);
    expect(seen[1]).toMatchObject({ target: 'https://hooks.example.org/…CRET' });
    expect(seen[3]).toMatchObject({ total: 0 });
    const shown = (channel: unknown) =>
      viewer.data(`${DATA}/notify/channel/get_by_id`, undefined, { id: String(channel) });
    expect(await shown(short)).toMatchObject({ target: 'https://hooks.example.org/…' });
    expect(await shown(sent)).toMatchObject({
      target: '+4915112345678',
      channelExt: { content: { url: 'https://sms.example.org/…CRET' } },
    });
    for (const answer of (await answersTo(tenant)).slice(0, 4))
      expect(JSON.stringify(answer)).toContain(secret);
  });

  it('that has become wrong can still be renamed and disabled, and judged again where it changes', async () => {
    const id = await channelTo(world.admin, { target: 'https://hooks.example.org/a' });
    const { tenantId } = world.admin;
    // As after a change of SVC_SECRET_KEY and of SVC_EGRESS_ALLOW.
    await inTenant(world.app.db, tenantId, (q) =>
      q
        .updateTable('svc_notify_channel')
        .set({ credential: 'sealed with another key', target: 'http://10.0.0.1/hook' })
        .where('tenantId', '=', tenantId)
        .where('id', '=', id)
        .execute(),
    );
    const target = 'http://10.0.0.1/hook';
    const channelName = fresh('renamed');
    await world.admin.data(`${DATA}/notify/channel/update`, {
      id,
      channelName,
      target,
      enableFlag: 'DISABLE',
    });
    expect(await one('notify/channel', id)).toMatchObject({
      channelName,
      target,
      enableFlag: 'DISABLE',
      credentialSet: true,
    });
    for (const wrong of [{ target: `${target}/b` }, { channelExt: { headers: { a: 'b' } } }])
      expect((await post('notify/channel/update', { id, ...wrong })).status).toBe(422);
  });

  it.each([
    ['a mailbox that is none', { channelTypeFlag: 'EMAIL', target: 'nobody' }],
    ['a number that is none', { channelTypeFlag: 'SMS', target: '110' }],
    ['a webhook within the platform', { target: 'http://127.0.0.1:8000/api' }],
    ['a webhook without a secret', { target: 'https://hooks.example.org/', credential: '' }],
    ['a file', { target: 'file:///etc/passwd' }],
  ])('422: refuses %s, when it is added and when it is changed', async (_what, given) => {
    const body = { channelTypeFlag: 'WEBHOOK', credential: webhookSecret, ...given };
    const credential = body.channelTypeFlag === 'WEBHOOK' ? body.credential : '';
    const answer = await post('notify/channel/add', {
      ...body,
      credential,
      channelName: fresh('channel'),
      ...(body.channelTypeFlag === 'SMS' ? sms('https://a.example.org/send') : {}),
    });
    expect(answer.status).toBe(422);
    expect(answer.body.message).not.toBe('');
    if (body.channelTypeFlag !== 'WEBHOOK') return;
    const id = await channelTo(world.admin, { target: 'https://hooks.example.org/a' });
    const changed = await post('notify/channel/update', {
      id,
      target: body.target,
      credential: body.credential,
    });
    expect(changed.status).toBe(422);
  });
});
