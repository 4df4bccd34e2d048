import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { mountFixtures } from '../support/conformance/mount.ts';
import { withToken } from '../support/conformance/proxy.ts';
import { ofTasks, passing, required, runSuite } from '../support/conformance/suite.ts';
import { freePort } from '../support/neighbours/free-port.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { Browser } from '../support/people/browser.ts';
import { allowAll, discover, registerApp } from '../support/people/oauth-client.ts';
import { startWorld, type World } from '../support/world/app.ts';

const SCOPE = 'svc:read svc:read-device svc:propose';
const REVISIONS = [
  { revision: '2026-07-28', count: 37 },
  { revision: '2025-11-25', count: 30 },
];
const LISTS = [
  'tools-list',
  'resources-list',
  'prompts-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];
const print = (line: string) => console.log(line);

async function door(world: World) {
  return withToken(world.base, await bearerFor(world.admin, { scope: SCOPE }));
}

describe('the official suite, through OAuth', () => {
  let world: World;
  let proxy: Awaited<ReturnType<typeof door>>;
  beforeAll(async () => {
    world = await startWorld();
    mountFixtures(world.app);
    proxy = await door(world);
  });
  afterAll(async () => {
    await proxy.stop();
    await world.stop();
  });

  it.each(REVISIONS)('$revision: $count of $count', { timeout: 180_000 }, async (of) => {
    const { revision, count } = of;
    const run = await runSuite('server', { '--url': proxy.url, '--requirements': revision });
    const names = await required(revision);
    const passed = names.filter((name) => passing(run).includes(name));
    print(`${revision}: ${passed.length}/${names.length} required, exit ${run.code}`);
    expect(names).toHaveLength(count);
    expect(passed).toEqual(names);
    expect(run.code).toBe(0);
    if (revision !== '2026-07-28') return;
    const tasks = ofTasks(run.scenarios.map(({ name }) => name));
    const done = ofTasks(passing(run));
    print(`tasks: ${done.length}/${tasks.length}`);
    expect(tasks).toHaveLength(9);
    expect(done).toEqual(tasks);
  });

  it.each(['sep-2640-skills-enumeration', 'sep-2640-skills-manifest'])(
    'skills: %s',
    { timeout: 60_000 },
    async (scenario) => {
      const run = await runSuite('server', { '--url': proxy.url, '--scenario': scenario });
      print(run.text.slice(-600));
      expect(run.code).toBe(0);
    },
  );

  it('authorization: all', { timeout: 120_000 }, async () => {
    const port = await freePort();
    const server = await discover(world.base);
    const app = await registerApp(server, `http://127.0.0.1:${port}/callback`);
    const opened = new Set<string>();
    const run = await runSuite(
      'authorization',
      {
        '--url': world.base,
        '--client-id': app.client_id,
        '--resource': `${world.base}/mcp`,
        '--port': String(port),
        '--spec-version': '2026-07-28',
      },
      (line) => {
        const [url] = /http\S+\/oauth2\/authorize\S+/.exec(line) ?? [];
        if (url === undefined || opened.has(url)) return;
        opened.add(url);
        void allowAll(new Browser(world.base), new URL(url)).then((page) => fetch(page.url));
      },
    );
    print(`authorization: ${passing(run).length}/${run.scenarios.length}, exit ${run.code}`);
    expect(opened.size).toBeGreaterThan(0);
    expect(run.code).toBe(0);
  });
});

describe('the platform as it is shipped', () => {
  it.each([
    {
      revision: '2026-07-28',
      passes: [
        ...LISTS,
        'sep-2164-resource-not-found',
        'caching',
        'input-required-result-missing-input-response',
        'input-required-result-unsupported-methods',
        'input-required-result-ignore-extra-params',
        'input-required-result-validate-input',
        'http-header-validation',
      ],
    },
    {
      revision: '2025-11-25',
      passes: [
        ...LISTS,
        'server-initialize',
        'ping',
        'logging-set-level',
        'server-session-lifecycle',
      ],
    },
  ])('passes what needs no fixture of $revision', { timeout: 180_000 }, async (of) => {
    const world = await startWorld();
    const proxy = await door(world);
    const run = await runSuite('server', { '--url': proxy.url, '--requirements': of.revision });
    await proxy.stop();
    await world.stop();
    print(`${of.revision}, shipped: ${passing(run).join(', ')}`);
    expect(passing(run)).toEqual(expect.arrayContaining(of.passes));
  });
});
