import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { call, say, type Sent, startModel } from '../support/neighbours/model.ts';
import { chat } from '../support/people/chat.ts';
import { login, type Session } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import { attach } from '../support/people/upload.ts';
import { confirmSeen } from '../support/runs/confirm-seen.ts';
import { freshDatabase } from '../support/world/database.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared } from '../support/world/prepared.ts';
import { type Server, startServer } from '../support/world/server.ts';

const AGENTIC = '/api/v3/agentic';
const Messages = z.array(
  z.looseObject({
    role: z.string(),
    contentExt: z.looseObject({ receipt: z.looseObject({ status: z.string() }).optional() }),
  }),
);

/** Proposes what it is asked for; asked how it went, it repeats the receipt it was given. */
function echoing(target: { deviceId: string; pointId: string }) {
  return (sent: Sent) => {
    const last = sent.messages.at(-1);
    const value = /^set it to (\d+)$/.exec(last?.content ?? '')?.[1];
    if (last?.role === 'user' && value) return call(['writePointValue', { ...target, value }]);
    if (last?.role === 'tool') return say('I asked for it.');
    const lines = sent.messages[0]?.content?.split('\n') ?? [];
    return say(lines.filter((line) => line.startsWith('- action ')).join(' ') || 'Nothing.');
  };
}

/**
 * docs/specification/assistant.md, Assistant records: conversations survive restarts; the end of a write is
 * told in them.
 */
describe.each([
  ['a model over a socket', true],
  ["the demo's scripted model", false],
])('a conversation with %s', (_name, overSocket) => {
  let server: Server;
  let admin: Session;
  const target = { deviceId: '', pointId: '' };
  const conversationId = 'over-a-restart';

  const start = async (more: Record<string, string> = {}): Promise<void> => {
    server = await startServer({
      ...testEnvironment,
      ...data.environment,
      SVC_DEMO: 'on',
      ...(overSocket
        ? {
            AGENTIC_FALLBACK_OPENAI_BASE_URL: model.baseUrl,
            AGENTIC_FALLBACK_OPENAI_API_KEY: 'k',
            SVC_EGRESS_ALLOW: new URL(model.baseUrl).host,
          }
        : {}),
      ...more,
    });
    admin = await login(server.base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
    await server.line(/dev-1 registered/);
  };
  const idOf = async (noun: string, name: object): Promise<string> =>
    Records.parse(await admin.data(`/api/v3/manager/${noun}/list`, name)).records[0]?.id ?? '';
  const receipts = async () =>
    Messages.parse(
      await admin.data(`${AGENTIC}/message/list`, undefined, { conversation_id: conversationId }),
    ).flatMap(({ contentExt }) => (contentExt.receipt ? [contentExt.receipt] : []));
  const propose = async (value: number): Promise<string> => {
    const text = overSocket ? `set it to ${value}` : `set dev-1's set-point to ${value}`;
    const { pending } = await chat(admin, text, { conversationId });
    return pending[0]?.actionId ?? '';
  };
  const asked = async (): Promise<string> =>
    (await chat(admin, 'Did it work?', { conversationId })).text;

  // The lines a model is sent hold no text; the scripted one asks the tool, which has the names.
  const point = (): string =>
    overSocket ? `point ${target.pointId} of device ${target.deviceId}` : '“set-point” of “dev-1”';
  const was = '(?: was \\S+ °C,)?';
  const line = (actionId: string, status: string, said: string): RegExp =>
    new RegExp(`[Aa]ction ${actionId} is ${status}: ${said}`);

  const data = prepared(() => freshDatabase());
  const model = prepared(() => startModel((sent) => echoing(target)(sent)));
  beforeAll(async () => {
    await start();
    target.deviceId = await idOf('device', { deviceName: 'dev-1' });
    target.pointId = await idOf('point', { pointName: 'set-point' });
  });
  afterAll(async () => {
    await server.kill();
    await model.stop();
    await data.remove();
  });

  it('tells the true receipt of a write that was proposed before the process was killed', async () => {
    const { id } = await attach(admin, conversationId, 'limit,25\n', 'limits.csv');
    const actionId = await propose(21);
    expect(actionId).toMatch(/^[0-9a-f-]{36}$/);
    await server.kill();
    await start();
    expect(await confirmSeen(admin, actionId, 15_000)).toMatchObject({ status: 'EXECUTED' });
    expect(await asked()).toMatch(
      line(
        actionId,
        'EXECUTED',
        `${point()}${was} became 21 °C: written \\S+Z, read back, confirmed by `,
      ),
    );
    expect(await receipts()).toMatchObject([{ actionId, status: 'EXECUTED' }]);
    // What was attached before is there as well.
    await chat(admin, 'What is attached?', { conversationId, attachments: [id] });
    if (overSocket) {
      expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('limit,25');
    }
  });

  it('says that nothing was written while nobody has confirmed', async () => {
    const actionId = await propose(22);
    const waits = `Set ${point()} to 22 °C \\(now [^)]+\\)\\. Not executed: it waits for a human`;
    expect(await asked()).toMatch(line(actionId, 'PENDING', waits));
    await admin.data(`${AGENTIC}/action/reject`, { action_id: actionId });
  });

  it('tells of a rejection once, also when the process dies between deciding and telling', async () => {
    await server.stop();
    await start({ SVC_CRASH_AT: 'after-reject' });
    const actionId = await propose(24);
    await admin.post(`${AGENTIC}/action/reject`, { action_id: actionId }).catch(() => null);
    expect((await server.exited).signal).toBe('SIGKILL');
    await start();
    const rejected = `${point()} was not set to 24 °C: rejected by [^.]+\\. Nothing was written\\.`;
    expect(await asked()).toMatch(line(actionId, 'REJECTED', rejected));
    const told = (await receipts()).filter((receipt) => receipt['actionId'] === actionId);
    expect(told).toMatchObject([{ status: 'REJECTED', toolCallId: expect.stringMatching(/./) }]);
  });

  it('tells once what was decided just before the process was killed', async () => {
    const actionId = await propose(23);
    // Killed before anybody could tell: confirmed, perhaps executed, perhaps not even answered.
    const answer = confirmSeen(admin, actionId, 0).catch(() => null);
    await Promise.race([answer, sleep(2_000, undefined, { ref: false })]);
    await server.kill();
    await start();
    const ended = await eventually(
      async () => (await receipts()).filter((receipt) => receipt['actionId'] === actionId),
      (found) => found.length > 0,
    );
    expect(ended).toHaveLength(1);
    const ends: Record<string, string> = {
      EXECUTED: `${point()}${was} became 23 °C: written `,
      FAILED: `${point()} was not set to 23 °C .*?\\. Nothing was written\\.`,
      // It was sent, and the driver that could have said more was killed.
      UNKNOWN: `Not known whether ${point()} became 23 °C `,
    };
    const status = String(ended[0]?.status);
    expect(Object.keys(ends)).toContain(status);
    const told = await asked();
    // A reading may have proved it since.
    const isProved = status === 'UNKNOWN' && told.includes(`${actionId} is EXECUTED`);
    const now = isProved ? 'EXECUTED' : status;
    expect(told).toMatch(line(actionId, now, ends[now] ?? ''));
  });
});
