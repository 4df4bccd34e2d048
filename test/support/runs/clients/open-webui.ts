import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';

import type { Page } from 'playwright-core';
import { z } from 'zod';

import { withoutFacts } from '../../../../src/agentic/session/facts.ts';
import { startBrowser } from '../../console/chromium.ts';
import { freePort } from '../../neighbours/free-port.ts';
import { type FakeModel, say, type Sent, startModel } from '../../neighbours/model.ts';
import { addProvider } from '../../neighbours/providers.ts';
import { Records } from '../../people/shapes.ts';
import { startWorld, type World } from '../../world/app.ts';
import { eventually } from '../../world/eventually.ts';

export const OPEN_WEBUI = '0.12.4';
const START_MS = 240_000;
const SLOW = { timeout: 60_000 };
const run = promisify(execFile);

/** They run models on this machine, and are gigabytes of which a chat with a vendor uses nothing. */
const LEFT_OUT = [
  'torch',
  'accelerate',
  'sentence-transformers',
  'faster-whisper',
  'rapidocr',
  'opencv-python-headless',
];

/** What the page was made to do, and what is wrong of it. */
export type Played = { step: string; sent: string; wrong: string[] };

/** Installs Open WebUI from PyPI into an empty folder; answers its command. */
export async function installOpenWebUi(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const overrides = join(folder, 'overrides.txt');
  await writeFile(overrides, LEFT_OUT.map((name) => `${name}; sys_platform == 'never'\n`).join(''));
  const [tool, own] = [join(folder, 'tool'), join(folder, 'own')];
  await run('python3', ['-m', 'venv', tool]);
  await run(join(tool, 'bin/pip'), ['install', '-q', 'uv']);
  const uv = join(tool, 'bin/uv');
  await run(uv, ['venv', '-q', '--python', join(tool, 'bin/python'), own]);
  const python = join(own, 'bin/python');
  const wanted = ['--override', overrides, `open-webui==${OPEN_WEBUI}`];
  await run(uv, ['pip', 'install', '-q', '--python', python, ...wanted]);
  return join(own, 'bin/open-webui');
}

const Message = z.looseObject({ role: z.string(), content: z.string() });
const Body = z.looseObject({ model: z.string(), messages: z.array(Message) });
type Asked = z.output<typeof Body>;

/** Passes what Open WebUI sends on to the platform, and remembers it. */
async function startRelay(base: string) {
  const asked: Asked[] = [];
  const server = createServer((req, res) => {
    void (async () => {
      const body: unknown = req.method === 'POST' ? await json(req) : undefined;
      const chat = Body.safeParse(body);
      if (chat.success) asked.push(chat.data);
      const answer = await fetch(`${base}${req.url ?? ''}`, {
        method: req.method ?? 'GET',
        headers: headersOf(req),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      for await (const part of answer.body ?? []) res.write(part);
      res.end();
    })().catch(() => void res.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const stop = () => (server.closeAllConnections(), server.close());
  return { url: `http://127.0.0.1:${port}`, asked, stop };
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const passed = Object.entries(headers).filter(([name]) =>
    /^(authorization|content-type|accept|x-openwebui-.+)$/.test(name),
  );
  return Object.fromEntries(passed.map(([name, value]) => [name, String(value)]));
}

const isTask = ({ messages }: Pick<Sent, 'messages'>): boolean =>
  messages.some(({ content }) => content?.includes('### Task:') ?? false);

/** Plays chats in the page of Open WebUI, in Chromium, against the platform and a model that counts its answers. */
export async function playOpenWebUi(
  command: string,
  folder: string,
  environment: Record<string, string>,
): Promise<Played[]> {
  let count = 0;
  const model = await startModel((sent) => {
    if (isTask(sent)) return say('{"title":"Pumps","tags":["pumps"],"follow_ups":["more?"]}');
    count += 1;
    return say(`Answer ${count}.`);
  });
  const world = await startWorld({
    environment: {
      SVC_EGRESS_ALLOW: new URL(model.baseUrl).host,
      SVC_AGENTIC_HISTORY_WINDOW_SIZE: '30',
    },
    database: { environment, remove: async () => {} },
  });
  const relay = await startRelay(world.base);
  const key = await prepared(world, model);
  const { url, child } = await started(command, folder, `${relay.url}/api/v3/agentic`, key);
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
    return await steps(page, url, { world, model, asked: relay.asked });
  } finally {
    await browser.close();
    child.kill();
    relay.stop();
    await world.stop();
    await model.stop();
  }
}

/** Two models, and a key for the chat. */
async function prepared({ admin }: World, { baseUrl }: FakeModel): Promise<string> {
  const providerId = await addProvider(admin, { name: 'two models', baseUrl });
  for (const model of ['first', 'second'])
    await admin.data('/api/v3/agentic/model/config/add', { model, providerId });
  const asked = { keyName: 'Open WebUI', scopes: ['svc:chat'] };
  const made = await admin.data('/api/v3/auth/key/add', asked);
  return z.object({ key: z.string() }).parse(made).key;
}

async function started(
  command: string,
  folder: string,
  baseUrl: string,
  key: string,
): Promise<{ url: string; child: ChildProcess }> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(command, ['serve', '--host', '127.0.0.1', '--port', port], {
    stdio: 'ignore',
    env: {
      HOME: folder,
      PATH: process.env['PATH'] ?? '',
      DATA_DIR: join(folder, 'data'),
      WEBUI_SECRET_KEY: 'one of a test',
      WEBUI_AUTH: 'False',
      RAG_EMBEDDING_ENGINE: 'openai',
      ENABLE_OLLAMA_API: 'False',
      OFFLINE_MODE: 'True',
      HF_HUB_OFFLINE: '1',
      OPENAI_API_BASE_URL: baseUrl,
      OPENAI_API_KEY: key,
      ENABLE_FORWARD_USER_INFO_HEADERS: 'true',
    },
  });
  const isUp = () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await eventually(isUp, (up) => up, START_MS);
  return { url, child };
}

type Stage = { world: World; model: FakeModel; asked: Asked[] };

async function steps(page: Page, url: string, stage: Stage): Promise<Played[]> {
  const { world, model, asked } = stage;
  const played: Played[] = [];
  const shown = (text: string) => page.getByText(text, { exact: true }).last().waitFor(SLOW);
  const type = async (text: string) => {
    await page.click('#chat-input');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };
  const open = async (query: string) => {
    await page.goto(`${url}/?${query}`);
    await page.locator('#chat-input').waitFor(SLOW);
    // The page takes keys before it knows its models.
    await page.getByLabel('Selected model: first').waitFor(SLOW);
  };
  /** Does `work`, and compares what the page sent with what the models were sent; null: whatever it sent. */
  const step = async (name: string, expected: string[][] | null, work: () => Promise<void>) => {
    const [from, before] = [asked.length, model.requests.length];
    await work();
    const resent = asked.slice(from).filter((one) => !isTask(one));
    const sent = model.requests.slice(before).filter((one) => !isTask(one));
    const said = sent.map(({ messages }) => messages.slice(1).map(({ content }) => content ?? ''));
    const held = resent.map(({ messages }) => messages.map(({ content }) => withoutFacts(content)));
    const wrong = [
      ...differing('the models were sent', said, expected ?? held),
      ...differing('the page sent', held, expected ?? held),
    ];
    played.push({ step: name, sent: said.map((one) => one.join(' › ')).join(' | '), wrong });
  };

  await open('model=first');
  const changes = page.getByText("Okay, Let's Go!");
  if ((await changes.count()) > 0) await changes.click();
  await step('a question', [['my pump is P7']], async () => {
    await type('my pump is P7');
    await shown('Answer 1.');
  });
  const whole = ['my pump is P7', 'Answer 1.', 'which pump?'];
  await step('the next question', [whole], async () => {
    await type('which pump?');
    await shown('Answer 2.');
    // The buttons below an answer come to rest when its follow-ups are there.
    await shown('more?');
  });
  await step('Try Again', [whole], async () => {
    await page.getByLabel('Regenerate').last().click();
    await page.getByText('Try Again').click();
    await shown('Answer 3.');
    await shown('more?');
  });
  await step('Edit of the first question', [['my pump is P9']], async () => {
    await page.locator('.user-message').first().hover();
    await page.getByLabel('Edit', { exact: true }).first().click();
    await page.locator('textarea[id^="message-edit"]').fill('my pump is P9');
    await page.locator('#confirm-edit-message-button').click();
    await shown('Answer 4.');
  });
  await open('models=first,second');
  await step('a question to two models', [['hello both'], ['hello both']], async () => {
    await type('hello both');
    await Promise.all([shown('Answer 5.'), shown('Answer 6.')]);
  });
  await step('the next question to both', null, async () => {
    await type('more');
    await Promise.all([shown('Answer 7.'), shown('Answer 8.')]);
  });
  await open('model=first&temporary-chat=true');
  await step('a temporary chat', [['find-me-not']], async () => {
    await type('find-me-not');
    await shown('Answer 9.');
  });
  return [...played, await stored(world, model)];
}

/** In whatever order the two models were asked. */
function differing(what: string, got: string[][], expected: string[][]): string[] {
  const [one, other] = [got, expected].map((all) => all.map((said) => said.join(' › ')).toSorted());
  return one?.join(' | ') === other?.join(' | ')
    ? []
    : [`${what} ${one?.join(' | ')}, not ${other?.join(' | ')}`];
}

/** Two conversations are stored: no temporary one, and none of a task, which is offered no tools. */
async function stored({ admin }: World, { requests }: FakeModel): Promise<Played> {
  const tasks = await eventually(
    async () => requests.filter(isTask),
    ({ length }) => length > 2,
  );
  const list = await admin.data('/api/v3/agentic/session/list', {});
  const titles = Records.parse(list).records.map((one) => String(Reflect.get(one, 'title')));
  const wrong = differing('stored are', [titles.toSorted()], [['hello both', 'my pump is P7']]);
  const armed = tasks.filter(({ tools = [] }) => tools.length > 0).length;
  if (armed > 0) wrong.push(`${armed} tasks were offered tools`);
  return { step: 'titles, tags and follow-ups', sent: `${tasks.length} tasks`, wrong };
}
