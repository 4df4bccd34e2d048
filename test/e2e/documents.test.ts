import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Block, blocksOf } from '../support/cases/document.ts';
import { freePort, freeUdpPort } from '../support/neighbours/free-port.ts';
import { type FakeModel, say, startModel } from '../support/neighbours/model.ts';
import { Browser } from '../support/people/browser.ts';
import { allowAll } from '../support/people/oauth-client.ts';
import { openTerminal, type Terminal } from '../support/people/terminal.ts';
import { type FreshDatabase, freshDatabase } from '../support/world/database.ts';

const blocks = [
  'README.md',
  'docs/walkthrough.md',
  'docs/connect-chat.md',
  'docs/connect.md',
  'docs/onboarding.md',
  'docs/agents.md',
  'docs/integrators.md',
  'docs/operations.md',
].flatMap((file) => blocksOf(file));

const receipt = (value: string): RegExp[] => [
  /"status":"EXECUTED"/,
  /"verification":"VERIFIED"/,
  new RegExp(`"responseValue":"${value}"`),
];

/** What a reader is told to see, by a part of the block: it is awaited in what the block prints. */
const promises: [part: string, ...prints: RegExp[]][] = [
  ['until post /data/point_value/latest', /"pointName":"set-point"/],
  [
    "set dev-1's set-point to 21",
    /The temperature of dev-1 is [\d.]+ °C/,
    /Nothing has been written/,
  ],
  ['# EXECUTED: status SUCCESS, ver', ...receipt('21')],
  ['receipt "$COMMAND"', /"status":"SUCCESS"/],
  ['"tools/list"', /"name":"writePointValue"/, /"pointName":"temperature"/],
  ['curl -sN -X POST', /"content":"[^"]*°C/, /^data: \[DONE\]$/m],
  ['# EXECUTED: SUCCESS, VERIFIED', ...receipt('23')],
  ['/v3/api-docs', /^Device Data Platform/m],
  ['redirectToAuthorization', /'writePointValue'/],
  ["say 'did it work?'", ...receipt('22'), /VERIFIED.*22 °C|22 °C.*VERIFIED/],
  ['set_point 28', /"responseValue":"28"/, /alarm\.fired/],
  ['set_point 20', /"responseValue":"20"/, /alarm\.recovered/],
  ['/data/notify/history/list', /"statusFlag":2/],
  ['x-openwebui-chat-id', /open alarm/, /"conversation_id":"my-notes"/],
  ['from-ai-sdk', /The temperature of dev-1 is [\d.]+ °C/],
  ['chat/stream/$TURN', /^id: 4$/m, /^data: \[DONE\]$/m],
  ['session/branch/select', /"versions":\[4,5\]/, /"who am I\?".*"versions":\[1,3\]/],
  ['/session/search', /"excerpt":"who am I\?"/, /^# who am I\?$/m, /"onBranch": false/],
  ['/agentic/origin/set', /^access-control-allow-origin: https:\/\/app\.example/m],
  ['recorded/turn-', /"question": "what is the name-1 of name-2\?"/],
  ['resources/list', /svc:\/\/alarm\/active/, /set-point/],
  ['note.txt', /°C/],
  ['/auth/key/list', /"keyName":"my editor"/],
  ['npm run -s svc -- key', /^svc_mcp_[\w-]+$/m],
  ['/agentic/model/list', /gpt-a/, /qwen3/],
  ['svc -- provider add', /^ {2}gpt-b$/m, /^\d+$/m],
  ['dev-2,dev-2', /"imported":1/],
  ['thermostat 4,dev-4', /"imported":1/],
  ['grep \'"status":"online"\'', /"status":"online"/],
  ['post "/data/point_value/latest"', /"calValue":"20"/],
  ['make_profile', /"path":"\/3308\/0\/5900"/, /"ok":true/],
  ['--count 20', /20 devices added/, /\b2\d registrations/, /[1-9]\d* reads/, /\d+ de-registered/],
  ['fleet.csv', /"imported":5/],
  ['room-3', /"imported":2/],
  ['point_value/import', /"stored":1/],
  ['tool getHandover', /"pointName":"set-point"/, /temperature/],
  ['The room is cold', /"actionId":/, /VERIFIED/, /"responseValue":"24"/],
  ['driver_attribute/list', /"attributeCode":"endpoint"/, /"attributeCode":"objectId"/],
  ['point_value/trend', /"parts":\[\{"firstAt"/, /createTime,value,unit/],
  ['data/live', /^event: sync$/m, /"hasLatestValue":true/],
  ['WRITE=', /"status":"SUCCESS"/, /"verification":"VERIFIED"/, /"readBackValue":"21.5"/],
  ['/readyz', /"status":"up"/, /"status":"ready".*"waitingFor":\[\]/, /"mq":"up"/],
  ['/data/dead_letter/list', /"total":0/],
  ['/mcp/switch/set', /"tenant":"READ_ONLY"/, /"mode":"ON"/],
  ['svc -- password admin', /^The password of admin in the tenant default is set/m],
  ['svc -- backup', /read back, all checksums fit/],
  ['svc -- doctor', /restored as of/, /^ok /m, /all of them hold/],
];

/** A block, and a start before it. */
const LIMIT_MS = 150_000;

let directory: string;
let data: FreshDatabase;
let model: FakeModel;
/** The addresses and the password that documents name, and those of this test. */
let ours: [string, string][];
let environment: Record<string, string>;
let first: Terminal | null = null;
let second: Terminal;
const others: Terminal[] = [];
/** What runs at the first terminal unless a document says otherwise. */
let start = 'npm start';

const replaced = (script: string): string =>
  ours.reduce((text, [theirs, own]) => text.replaceAll(theirs, own), script);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-documents-'));
  const parts = ['src', 'tools', 'providers', 'driver', 'sql', 'node_modules', 'package.json'];
  for (const part of [...parts, '.npmrc']) await symlink(resolve(part), join(directory, part));
  data = await freshDatabase('empty');
  model = await startModel(() => say('Hello'));
  const { SVC_DATA_DIR: _default, ...server } = data.environment;
  const [http, coap, coaps] = [await freePort(), await freeUdpPort(), await freeUdpPort()];
  environment = {
    ...server,
    SVC_PORT: `${http}`,
    LWM2M_PORT: `${coap}`,
    LWM2M_SECURE_PORT: `${coaps}`,
    LWM2M_HOST: '127.0.0.1',
    npm_config_update_notifier: 'false',
  };
  ours = [
    ['127.0.0.1:8000', `127.0.0.1:${http}`],
    ['127.0.0.1:11434', new URL(model.baseUrl).host],
    ['127.0.0.1:5684', `127.0.0.1:${coaps}`],
    ['--count 20', `--count 20 --server 127.0.0.1:${coap} --platform http://127.0.0.1:${http}`],
    ['--endpoint dev-2', `--endpoint dev-2 --server 127.0.0.1:${coap}`],
  ];
  for (const theirs of ['9000', '7777']) {
    const port = `${await freePort()}`;
    ours.push([`127.0.0.1:${theirs}`, `127.0.0.1:${port}`], [`listen(${theirs}`, `listen(${port}`]);
  }
  await started();
  const [, password = ''] = await platform().prints(/^ {2}Password {2}(\S+) {3}\(generated/m);
  ours.push(['the generated password', password]);
  second = openTerminal(directory, environment);
});
afterAll(async () => {
  for (const terminal of [...others, second, first]) await terminal?.interrupt();
  await model?.stop();
  await data?.remove();
  await rm(directory, { recursive: true, force: true });
});

const platform = (): Terminal => {
  if (!first) throw new Error('the platform does not run');
  return first;
};

async function started(): Promise<void> {
  if (first) return;
  first = openTerminal(directory, environment, replaced(start));
  await first.prints(/^dev-1 registered/m);
  await first.prints(/^ {2}Demo /m);
}

async function stopped(): Promise<void> {
  await first?.interrupt();
  first = null;
}

/** What a person does at the page that the block prints. */
async function loggedIn(from: number): Promise<void> {
  const [, page = ''] = await second.prints(/^Open (http\S+)$/m, from);
  const person = { tenant: 'default', login: 'admin', password: 'a password of my own' };
  const { url, text } = await allowAll(new Browser(new URL(page).origin), new URL(page), person);
  expect(url, text).toContain('/callback?');
  expect((await fetch(url)).status).toBe(200);
}

/** What comes after a block that failed has nothing to go on from. */
let failed: string | null = null;

async function done(block: Block): Promise<void> {
  if (failed !== null) throw new Error(`not run after ${failed}`);
  await run(block).catch((error: unknown) => {
    failed = `${block.file}, ${block.heading}`;
    throw error;
  });
}

async function run({ place, script }: Block): Promise<void> {
  if (place === 'third terminal') {
    const device = openTerminal(directory, environment, replaced(script));
    others.push(device);
    await device.prints(/^dev-\d registered/m);
    return;
  }
  if (place === 'first terminal' || place === 'platform stopped') await stopped();
  if (place === 'first terminal') start = script;
  if (place !== 'platform stopped') await started();
  if (place === 'first terminal') return;
  const from = second.output().length;
  const ran = second.run(replaced(script));
  if (place === 'browser') await loggedIn(from);
  const printed = await ran;
  const refusals = script.match(/# refused: R\d+/g) ?? [];
  expect(printed).not.toMatch(/^FAILED|"isError":true|"error":\{/m);
  expect(printed.match(/"ok":false,"code"/g) ?? [], printed).toHaveLength(refusals.length);
  for (const refusal of refusals) expect(printed).toContain(`"code":"${refusal.slice(-4)}"`);
  for (const [part, ...patterns] of promises)
    if (script.includes(part)) for (const pattern of patterns) await second.prints(pattern, from);
}

describe('the documents', () => {
  it.each(blocks.filter(({ place }) => place !== 'not run'))(
    '$file, $heading: $script',
    done,
    LIMIT_MS,
  );

  it('say why a block is not run, and leave out no other', () => {
    const left = blocks.filter(({ place }) => place === 'not run');
    expect(left.map(({ file, heading }) => `${file}, ${heading}`)).toEqual([
      'README.md, Two commands',
      'docs/operations.md, Many processes',
      'docs/operations.md, Drill',
      'docs/operations.md, Backup, restore, upgrade',
      'docs/operations.md, Backup, restore, upgrade',
      'docs/operations.md, Backup, restore, upgrade',
    ]);
    for (const { reason } of left) expect(reason).toMatch(/\w{3,} .{10,}/);
  });

  it('promise what is awaited', () => {
    for (const [part] of promises)
      expect(blocks.filter(({ script }) => script.includes(part))).not.toEqual([]);
  });
});
