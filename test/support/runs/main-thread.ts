import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { z } from 'zod';

import { request, type Session } from '../people/session.ts';
import { eventually } from '../world/eventually.ts';
import { confirmSeen } from './confirm-seen.ts';

const Records = z.object({ records: z.array(z.record(z.string(), z.unknown())) });
const Receipt = z.object({
  status: z.string(),
  verification: z.string(),
  responseValue: z.string().nullable(),
});
type Receipt = z.infer<typeof Receipt>;

/** Where the steps are walked, as it is when a step runs. */
export type Stage = {
  base: string;
  admin: Session;
  /** Resolves when the simulated device dev-1 has printed a line like this. */
  deviceLine(pattern: RegExp): Promise<unknown>;
};

/** What the steps found, for tests that come after them. */
export type Walked = {
  readTemperature(): Promise<Receipt>;
  latestSetPoint(): Promise<Record<string, unknown>>;
  writeReceipt(): Promise<Receipt>;
};

/**
 * docs/specification/service.md, Main thread, on a platform with the demo devices: registers a test for each
 * step.
 */
export function mainThread(stage: () => Stage): Walked {
  let device: { id: string; temperature: string; setPoint: string };
  let token: string;
  let key: string;

  const latest = async (pointId: string): Promise<Record<string, unknown>> => {
    const page = await stage().admin.data('/api/v3/data/point_value/latest', {
      deviceId: device.id,
    });
    return Records.parse(page).records.find((record) => record['pointId'] === pointId) ?? {};
  };
  const receiptOf = async (commandId: string) =>
    Receipt.parse(
      await stage().admin.data('/api/v3/data/point_command_history/get_by_command_id', undefined, {
        commandId,
      }),
    );
  const readNow = async (pointId: string) => {
    const commandId = String(
      await stage().admin.data('/api/v3/data/point_command/read', { deviceId: device.id, pointId }),
    );
    return eventually(
      () => receiptOf(commandId),
      ({ status }) => !['PENDING', 'SENT'].includes(status),
    );
  };

  it('lists the demo device and shows it online', async () => {
    const page = Records.parse(
      await stage().admin.data('/api/v3/manager/device/list', { deviceName: 'dev-1' }),
    );
    const id = z.string().parse(page.records[0]?.['id']);
    const points = z.array(z.object({ id: z.string(), pointName: z.string() })).parse(
      await stage().admin.data('/api/v3/manager/point/list_by_device_id', undefined, {
        device_id: id,
      }),
    );
    const named = (name: string): string =>
      points.find(({ pointName }) => pointName === name)?.id ?? '';
    device = { id, temperature: named('temperature'), setPoint: named('set-point') };
    expect(device).toEqual({
      id: expect.stringMatching(/^\d+$/),
      temperature: expect.stringMatching(/^\d+$/),
      setPoint: expect.stringMatching(/^\d+$/),
    });
    await stage().deviceLine(/dev-1 registered/);
  });

  it('reads the device and shows a latest value that changes', async () => {
    const first = await eventually(
      () => readNow(device.temperature),
      ({ status }) => status === 'SUCCESS',
    );
    expect(Number(first.responseValue)).toBeGreaterThan(-50);
    const seen = await latest(device.temperature);
    const later = await eventually(
      async () => {
        await readNow(device.temperature);
        return latest(device.temperature);
      },
      (now) => now['createTime'] !== seen['createTime'] && now['calValue'] !== seen['calValue'],
    );
    expect(later).toMatchObject({ unit: '°C', hasLatestValue: true });
  });

  it('gives a service account a token for MCP', async () => {
    const accountId = await stage().admin.data('/api/v3/auth/service_account/add', {
      serviceAccountName: 'my-agent',
    });
    const account = z.object({ principalId: z.string() }).parse(
      await stage().admin.data('/api/v3/auth/service_account/get_by_id', undefined, {
        id: String(accountId),
      }),
    );
    const client = z.object({ client_id: z.string(), client_secret: z.string() }).parse(
      await stage().admin.data('/api/v3/auth/mcp/client/register', {
        client_name: 'my-agent',
        grant_types: ['client_credentials'],
        scope: 'svc:read svc:read-device svc:propose svc:chat',
        service_account_principal_id: account.principalId,
      }),
    );
    const secret = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64');
    const answer = await fetch(`${stage().base}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${secret}` },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        resource: `${stage().base}/mcp`,
      }),
    });
    token = z
      .object({ access_token: z.string(), token_type: z.literal('Bearer') })
      .parse(await answer.json()).access_token;
  });

  it('gives a chat client a key', async () => {
    const made = await stage().admin.data('/api/v3/auth/key/add', {
      keyName: 'my chat client',
      scopes: ['svc:read', 'svc:propose', 'svc:chat'],
    });
    key = z.object({ key: z.string() }).parse(made).key;
  });

  const call = { name: 'getLatestPointValue', arguments: {} as Record<string, string> };

  it.each([
    ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
    ['2025-11-25', { versionNegotiation: { mode: 'legacy' } }],
  ] as const)('serves tools to the official client of %s', async (_era, options) => {
    const client = new Client({ name: 'walk-through', version: '1' }, options);
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${stage().base}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('writePointValue');
    const result = await client.callTool({
      ...call,
      arguments: { deviceId: device.id, pointId: device.temperature },
    });
    expect(result.structuredContent).toMatchObject({
      pointName: 'temperature',
      unit: '°C',
      value: expect.any(String),
    });
    await client.close();
  });

  it('serves tools to the earlier, independent client', async () => {
    const client = new EarlierClient({ name: 'walk-through', version: '1' });
    const transport = new EarlierTransport(new URL(`${stage().base}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    await client.connect(transport);
    expect((await client.listTools()).tools.length).toBeGreaterThan(18);
    const result = await client.callTool({
      ...call,
      arguments: { deviceId: device.id, pointId: device.temperature },
    });
    expect(result.structuredContent).toMatchObject({ pointName: 'temperature' });
    await client.close();
  });

  const chat = (): OpenAI =>
    new OpenAI({
      baseURL: `${stage().base}/api/v3/agentic`,
      apiKey: key,
      maxRetries: 0,
    });
  const ask = (content: string) => ({
    model: 'scripted',
    messages: [{ role: 'user' as const, content }],
  });

  it('chats about the device, at once and streamed', async () => {
    const whole = await chat().chat.completions.create(ask('what is the temperature of dev-1?'));
    expect(whole.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: expect.stringMatching(/\d+(\.\d+)? ?°C/) },
    });
    const stream = await chat().chat.completions.create({
      ...ask('what is the temperature of dev-1?'),
      stream: true,
    });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toMatch(/\d+(\.\d+)? ?°C/);
  });

  const Pending = z.array(
    z.object({ actionId: z.string(), status: z.string(), deviceName: z.string() }),
  );
  /** Without that of the demo's agent. */
  const pending = async () =>
    Pending.parse(await stage().admin.data('/api/v3/agentic/action/pending')).filter(
      ({ deviceName }) => deviceName === 'dev-1',
    );
  let commandId: string;

  it('proposes a write that no agent can confirm', async () => {
    const answer = await chat().chat.completions.create(ask("set dev-1's set-point to 21"));
    const [action] = await pending();
    expect(answer.choices[0]?.message.content).toContain(action?.actionId);
    expect((await latest(device.setPoint))['calValue']).not.toBe('21');
    const refused = await request(stage().base, 'POST', '/api/v3/agentic/action/confirm', {
      body: { action_id: action?.actionId },
      headers: { authorization: `Bearer ${key}` },
    });
    expect(refused.status).toBe(403);
    expect(await pending()).toHaveLength(1);
  });

  it('writes after a human confirmed, and the receipt tells the truth', async () => {
    const [action] = await pending();
    const confirmed = z
      .object({ commandId: z.string(), receipt: Receipt })
      .parse(await confirmSeen(stage().admin, String(action?.actionId), 10_000));
    expect(confirmed.receipt).toMatchObject({
      status: 'SUCCESS',
      verification: 'VERIFIED',
      responseValue: '21',
    });
    await stage().deviceLine(/dev-1 set-point 21\b/);
    commandId = confirmed.commandId;
    expect(await receiptOf(commandId)).toMatchObject({
      status: 'SUCCESS',
      verification: 'VERIFIED',
    });
  });

  return {
    readTemperature: () =>
      eventually(
        () => readNow(device.temperature),
        ({ status }) => status === 'SUCCESS',
      ),
    latestSetPoint: () => latest(device.setPoint),
    writeReceipt: () => receiptOf(commandId),
  };
}
