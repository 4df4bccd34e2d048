import { createParser } from 'eventsource-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { freePort } from '../support/neighbours/free-port.ts';
import { type FakeModel, frame, startModel } from '../support/neighbours/model.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { Chunk, question } from '../support/people/chat.ts';
import { type Spoken, speak } from '../support/people/mcp-session.ts';
import { login, type Session } from '../support/people/session.ts';
import { freshDatabase } from '../support/world/database.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { prepared } from '../support/world/prepared.ts';
import { type Process, startProcess } from '../support/world/process.ts';

/** After so long without a sign of the process that ran a turn, its followers are cut (docs/specification/assistant.md). */
const LOST_MS = 40_000;

const COMPLETIONS = '/api/v3/agentic/chat/completions';

/** docs/operations.md, Many processes: two gateways with the chat, each a process, behind one address. */
describe('two gateways of which one is killed', () => {
  let model: FakeModel;
  let admin: Session;
  let elsewhere: string;
  const running = new Map<string, Process>();
  const data = prepared(() => freshDatabase('empty'));
  let goOn: (() => void)[] = [];

  beforeAll(async () => {
    // Each answer waits in the middle until it is let.
    model = await startModel(() => (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(chunk('It is '));
      goOn.push(() => res.end(`${chunk('41 °C.', 'stop')}data: [DONE]\n\n`));
    });
    const [first, second, auth, manager, values, chat] = await Promise.all(
      Array.from({ length: 6 }, freePort),
    );
    const base = `http://127.0.0.1:${first}`;
    elsewhere = `http://127.0.0.1:${second}`;
    const environment: Record<string, string> = {
      ...testEnvironment,
      ...data.environment,
      SVC_LOG_LEVEL: 'warn',
      SVC_DEMO: 'off',
      SVC_BASE_URL: base,
      AGENTIC_FALLBACK_OPENAI_BASE_URL: model.baseUrl,
      AGENTIC_FALLBACK_OPENAI_API_KEY: 'fallback-key',
      AGENTIC_FALLBACK_OPENAI_MODEL: 'fake-1',
      SVC_EGRESS_ALLOW: new URL(model.baseUrl).host,
      SVC_AUTH_URL: `http://127.0.0.1:${auth}`,
      SVC_AUTH_PORT: String(auth),
      SVC_MANAGER_URL: `http://127.0.0.1:${manager}`,
      SVC_MANAGER_PORT: String(manager),
      SVC_DATA_URL: `http://127.0.0.1:${values}`,
      SVC_DATA_PORT: String(values),
      SVC_AGENTIC_URL: `http://127.0.0.1:${chat}`,
      SVC_AGENTIC_PORT: String(chat),
    };
    const start = async (name: string, more: Record<string, string>): Promise<void> => {
      const own = startProcess(['src/main.ts', 'serve'], { ...environment, ...more });
      running.set(name, own);
      await own.line(/^ {2}Database /);
    };
    await Promise.all([
      start('centers', { SVC_ROLES: 'auth,manager,data' }),
      start('first', { SVC_ROLES: 'agentic,gateway', SVC_PORT: String(first) }),
      start('second', { SVC_ROLES: 'agentic,gateway', SVC_PORT: String(second) }),
    ]);
    admin = await login(base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
  });
  afterAll(async () => {
    for (const own of running.values()) await own.kill();
    await model.stop();
    await data.remove();
  });

  it('the other follows its turn, serves its session, and goes on with both when it is gone', async () => {
    const token = await bearerFor(admin, { scope: 'svc:read' });
    const session = await speak(admin.base, token);
    const turn = await begun('over two gateways');
    const there = session.at(elsewhere);
    expect(await toolsOf(there)).toContain('searchDevices');
    const followed = await follow(turn);

    await running.get('first')?.kill();
    const begin = Date.now();
    // Its client asks again after a cut; nothing says that the answer is whole.
    expect(await followed.read).toMatchObject({
      text: expect.stringContaining('It is '),
      isWhole: false,
    });
    expect(Date.now() - begin).toBeLessThan(LOST_MS);
    expect(await toolsOf(there)).toContain('searchDevices');

    goOn = [];
    const again = { conversationId: 'over two gateways', stream: true };
    const asked = post(elsewhere, question('again', again)).then(following);
    while (goOn.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    for (const one of goOn) one();
    expect(await (await asked).read).toMatchObject({ isWhole: true });
  }, 180_000);

  /** A turn at the first gateway. */
  async function begun(conversationId: string): Promise<string> {
    const asked = { stream: true, x_svc: { resumable: true }, conversationId };
    const response = await post(admin.base, question('tell me', asked));
    return (await following(response)).id;
  }

  /** What the second gateway sends of a turn. */
  const follow = async (id: string): Promise<Following> =>
    following(
      await fetch(`${elsewhere}/api/v3/agentic/chat/stream/${id}?after=0`, {
        headers: admin.headers,
      }),
    );

  const post = (base: string, body: object): Promise<Response> =>
    fetch(`${base}${COMPLETIONS}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...admin.headers },
      body: JSON.stringify(body),
    });
});

type Read = { text: string; isWhole: boolean };
type Following = { id: string; read: Promise<Read> };

/** A turn once `It is ` of it was read, and the rest, to its end or the cut. */
async function following(response: Response): Promise<Following> {
  if (response.status !== 200) throw new Error(await response.text());
  const read = { text: '', isWhole: false };
  const begun = Promise.withResolvers<string>();
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') read.isWhole = true;
      if (!data.startsWith('{"id"')) return;
      const { id, choices } = Chunk.parse(JSON.parse(data));
      read.text += choices[0]?.delta.content ?? '';
      if (read.text.includes('It is')) begun.resolve(id);
    },
  });
  const whole = (async () => {
    try {
      for await (const bytes of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
        parser.feed(bytes);
    } catch {
      // The process died, or the stream was cut.
    }
    begun.reject(new Error(`no answer began: ${read.text}`));
    return read;
  })();
  return { id: await begun.promise, read: whole };
}

async function toolsOf(session: Spoken): Promise<string> {
  const response = await session.send({ method: 'tools/list', params: {} });
  expect(response.status).toBe(200);
  return response.text();
}

const chunk = (content: string, finish: string | null = null): string =>
  frame({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
