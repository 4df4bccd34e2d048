import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { type MailServer, startMailServer } from '../support/neighbours/mail-server.ts';
import {
  startWebhookReceiver,
  verified,
  type WebhookReceiver,
} from '../support/neighbours/webhook-receiver.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients, type McpClient } from '../support/people/mcp.ts';
import { login, type Session } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import { type FreshDatabase, freshDatabase } from '../support/world/database.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { eventually } from '../support/world/eventually.ts';
import { type Server, startServer } from '../support/world/server.ts';

const DATA = '/api/v3/data';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const Id = z.string().regex(/^\d+$/);
const Told = z.object({ type: z.string(), data: z.looseObject({ message: z.string() }) });

/** A rule on the demo device, from the value over the UDP socket to the mailbox and the receiver. */
describe('an alarm', () => {
  let data: FreshDatabase;
  let hook: WebhookReceiver;
  let post: MailServer;
  let server: Server;
  let admin: Session;
  let agent: McpClient;
  let device: { deviceId: string; pointId: string };
  let ruleId: string;
  let alarmId: string;

  const start = async (): Promise<void> => {
    server = await startServer({
      ...testEnvironment,
      ...data.environment,
      SVC_DEMO: 'on',
      SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}`,
      SVC_SMTP_URL: post.url,
      SVC_MAIL_FROM: 'platform@example.test',
    });
    admin = await login(server.base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
    await server.line(/dev-1 registered/);
  };

  beforeAll(async () => {
    [data, hook, post] = await Promise.all([
      freshDatabase('empty'),
      startWebhookReceiver(),
      startMailServer(),
    ]);
    await start();
    const token = await bearerFor(admin, { scope: 'svc:read' });
    const connect = clients['2026-07-28'] ?? Object.values(clients)[0];
    if (!connect) throw new Error('no client');
    agent = await connect(server.base, token);
  });
  afterAll(async () => {
    await agent?.close();
    await server?.kill();
    await Promise.all([hook?.stop(), post?.stop()]);
    await data?.remove();
  });

  const add = async (what: string, body: object): Promise<string> =>
    Id.parse(await admin.data(`${DATA}/${what}/add`, body));

  /** Writes the set-point and reads it, so that its value comes in as any other. */
  async function setPoint(value: number): Promise<void> {
    await command('write', { ...device, value });
    await command('read', device);
  }
  async function command(verb: 'read' | 'write', body: object): Promise<void> {
    const commandId = z.string().parse(await admin.data(`${DATA}/point_command/${verb}`, body));
    const receipt = await eventually(
      () => admin.data(`${DATA}/point_command_history/get_by_command_id`, undefined, { commandId }),
      (found) => !/PENDING|SENT/.test(JSON.stringify(found)),
    );
    expect(receipt).toMatchObject({ status: 'SUCCESS' });
  }
  const state = async () => {
    const { records } = Records.parse(await admin.data(`${DATA}/rule/state/list`, { ruleId }));
    return records[0];
  };
  const alerts = async (query: object = {}) =>
    Records.parse(
      await admin.data(`${DATA}/dashboard/alert/page`, {
        current: 1,
        size: 10,
        source: 'point',
        ...query,
      }),
      // The plant of the demo has alarms too.
    ).records.filter(({ deviceId }) => deviceId === device.deviceId);
  const webhooks = () => hook.received.map((one) => Told.parse(verified(SECRET, one)));

  it('has a rule on a point of the demo device, and two ways to tell people', async () => {
    const { records } = Records.parse(
      await admin.data('/api/v3/manager/device/list', { deviceName: 'dev-1' }),
    );
    const deviceId = records[0]?.id ?? '';
    const points = z.array(z.object({ id: Id, pointName: z.string() })).parse(
      await admin.data('/api/v3/manager/point/list_by_device_id', undefined, {
        device_id: deviceId,
      }),
    );
    const pointId = points.find(({ pointName }) => pointName === 'set-point')?.id ?? '';
    device = { deviceId, pointId };
    const notifyId = await add('notify', { notifyName: 'duty' });
    const messageId = await add('message', {
      messageName: 'too high',
      messageExt: {
        content: {
          templates: [
            { channelType: 0, template: { title: '{{ruleName}}', text: 'It reads {{value}}.' } },
          ],
        },
      },
    });
    for (const channel of [
      { channelName: 'hook', channelTypeFlag: 2, target: hook.url, credential: SECRET },
      { channelName: 'mail', channelTypeFlag: 0, target: 'duty@example.test' },
    ]) {
      const channelId = await add('notify/channel', channel);
      await add('notify/channel/bind', { notifyId, channelId });
    }
    ruleId = await add('rule', {
      ruleName: 'set too high',
      alarmTargetTypeFlag: 'POINT',
      entityId: pointId,
      notifyId,
      messageId,
      ruleExt: {
        content: {
          condition: { field: 'calValue', operator: '>', threshold: 25 },
          severity: 'P1',
        },
      },
    });
    await setPoint(20);
    expect(await alerts()).toEqual([]);
  });

  it('is raised once, and reaches the receiver and the mailbox', async () => {
    await setPoint(28);
    const [alarm, ...more] = await eventually(alerts, (found) => found.length > 0);
    expect(more).toEqual([]);
    expect(alarm).toMatchObject({
      sourceId: device.pointId,
      deviceId: device.deviceId,
      pointId: device.pointId,
      alarmTypeFlag: 0,
      alarmSourceFlag: 0,
      alarmLevelFlag: 1,
      confirmFlag: 0,
    });
    alarmId = alarm?.id ?? '';
    expect(await state()).toMatchObject({ entityStateFlag: 1, alarmId });
    await eventually(
      async () => [hook.received.length, post.mails.length],
      ([hooks, mails]) => hooks === 1 && mails === 1,
    );
    expect(webhooks()).toEqual([
      { type: 'alarm.fired', data: expect.objectContaining({ alarmId, level: 'P1' }) },
    ]);
    expect(post.mails[0]).toMatchObject({
      from: 'platform@example.test',
      to: ['duty@example.test'],
      headers: { subject: 'set too high' },
      text: expect.stringContaining('It reads 28.'),
    });
    expect(await agent.read(`svc://alarm/${alarmId}`)).toMatchObject({
      state: 'FIRING',
      confirmed: false,
      level: 'P1',
    });
    expect(JSON.stringify(await agent.read('svc://alarm/active'))).toContain(`"${alarmId}"`);
  });

  it('goes on without telling again', async () => {
    await setPoint(29);
    const still = await eventually(state, (found) => found?.['triggerCount'] !== '1');
    expect(still).toMatchObject({ entityStateFlag: 1, alarmId });
    expect(await alerts()).toHaveLength(1);
    expect([hook.received.length, post.mails.length]).toEqual([1, 1]);
  });

  it('recovers, which is told too', async () => {
    await setPoint(21);
    await eventually(state, (found) => found?.['entityStateFlag'] === 2);
    await eventually(
      async () => [hook.received.length, post.mails.length],
      ([hooks, mails]) => hooks === 2 && mails === 2,
    );
    expect(webhooks().at(-1)).toMatchObject({ type: 'alarm.recovered', data: { alarmId } });
    expect(await agent.read(`svc://alarm/${alarmId}`)).toMatchObject({
      state: 'RECOVERED',
      confirmed: false,
    });
  });

  it('is closed when a human confirms it', async () => {
    const answer = await admin.post(`${DATA}/dashboard/alert/confirm`, undefined, {
      source: 'point',
      id: alarmId,
    });
    expect(answer.body).toMatchObject({ ok: true, data: true });
    expect(await state()).toMatchObject({ entityStateFlag: 3, alarmId });
    expect(await alerts({ confirmFlag: 1 })).toMatchObject([{ id: alarmId, confirmFlag: 1 }]);
    expect(await agent.read(`svc://alarm/${alarmId}`)).toMatchObject({
      state: 'CLOSED',
      confirmed: true,
    });
  });

  it('leaves the record of who was told, which outlives a restart', async () => {
    expect(await server.stop()).toBe(0);
    await start();
    const { records } = Records.parse(await admin.data(`${DATA}/notify/history/list`, { alarmId }));
    const byChannel = records.map((record) => record['channelTypeFlag']);
    expect(byChannel.toSorted((one, other) => Number(one) - Number(other))).toEqual([0, 0, 2, 2]);
    expect(new Set(records.map((record) => record['statusFlag']))).toEqual(new Set([2]));
    expect(await state()).toMatchObject({ entityStateFlag: 3, alarmId });
    expect([hook.received.length, post.mails.length]).toEqual([2, 2]);
  });
});
