import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { bearerFor } from '../support/people/bearer.ts';
import { asking } from '../support/people/mcp-2026.ts';
import { speak } from '../support/people/mcp-session.ts';
import { startedWorld } from '../support/world/prepared.ts';

const TYPE = 'text/html;profile=mcp-app';
const shows = (mimeTypes: string[]) => ({
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes } },
});
const VIEWS = ['ui://svc/proposal', 'ui://svc/trend', 'ui://svc/alarms'];

const Said = z.looseObject({
  result: z.looseObject({}).optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});
const Ui = z.strictObject({
  resourceUri: z.string().optional(),
  visibility: z.array(z.string()).optional(),
});
const Tools = z.object({
  tools: z.array(
    z.looseObject({
      name: z.string(),
      annotations: z.looseObject({ readOnlyHint: z.boolean() }),
      _meta: z.strictObject({ ui: Ui }).optional(),
    }),
  ),
});
const Resources = z.object({ resources: z.array(z.looseObject({ uri: z.string() })) });

type Ask = (method: string, params?: object) => Promise<z.infer<typeof Said>>;
/** A client of each revision, as it looks on the wire. */
const revisions: Record<string, (bearer: string, capabilities: object) => Promise<Ask>> = {
  '2026-07-28': async (bearer, capabilities) => {
    const ask = asking(world.base, bearer, capabilities);
    return async (method, params = {}) => Said.parse(await ask(method, { ...params }));
  },
  '2025-11-25': async (bearer, capabilities) => {
    const session = await speak(world.base, bearer, capabilities);
    return async (method, params = {}) => {
      const answer = await (await session.send({ method, params })).text();
      return Said.parse(JSON.parse(/^data: (\{.+)$/m.exec(answer)?.[1] ?? answer));
    };
  },
};

let all: string;
let deviceOnly: string;
const world = startedWorld();
beforeAll(async () => {
  all = await bearerFor(world.admin, { scope: 'svc:read svc:read-device svc:propose' });
  deviceOnly = await bearerFor(world.admin, { scope: 'svc:read-device' });
});

const LISTS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];

describe.each(Object.entries(revisions))('views for a client of %s', (_, connect) => {
  it('leave no trace when it does not show them', async () => {
    const declared = [{}, shows([]), shows(['text/html']), { extensions: {} }];
    const [first, ...others] = await Promise.all(declared.map((one) => connect(all, one)));
    const lists = async (ask: Ask | undefined) =>
      Promise.all(LISTS.map(async (method) => JSON.stringify((await ask?.(method))?.result)));
    const plain = await lists(first);
    expect(plain.join('')).not.toMatch(/ui:\/\/|mcp-app|resourceUri|"visibility"/);
    for (const ask of others) expect(await lists(ask)).toEqual(plain);
    const missing = await first?.('resources/read', { uri: 'ui://svc/nothing' });
    const view = await first?.('resources/read', { uri: 'ui://svc/trend' });
    expect(missing?.error?.code).toBeLessThan(0);
    expect(view?.error?.code).toBe(missing?.error?.code);
    expect(view?.error?.message).toBe(missing?.error?.message);
  });

  it('are named by the tools whose answers they show, and change nothing else of the list', async () => {
    const plain = Tools.parse((await (await connect(all, {}))('tools/list')).result);
    const ask = await connect(all, shows([TYPE]));
    const { tools } = Tools.parse((await ask('tools/list')).result);
    const without = tools.map(({ _meta: _ui, ...tool }) => tool);
    expect(JSON.stringify(without)).toBe(JSON.stringify(plain.tools));
    const named = tools.flatMap(({ name, _meta: meta }) =>
      meta?.ui.resourceUri === undefined ? [] : [[name, meta.ui.resourceUri]],
    );
    expect(Object.fromEntries(named)).toEqual({
      getPointValueHistory: 'ui://svc/trend',
      proposeTool: 'ui://svc/proposal',
      searchAlarms: 'ui://svc/alarms',
      writePointValue: 'ui://svc/proposal',
      proposeWrites: 'ui://svc/proposal',
    });
  });

  it('may not call what proposes or withdraws', async () => {
    const ask = await connect(all, shows([TYPE]));
    const { tools } = Tools.parse((await ask('tools/list')).result);
    const closed = tools.filter(({ _meta: meta }) => meta?.ui.visibility !== undefined);
    expect(closed.length).toBeGreaterThan(1);
    expect(closed).toEqual(tools.filter(({ annotations }) => !annotations.readOnlyHint));
    for (const { _meta: meta } of closed) expect(meta?.ui.visibility).toEqual(['model']);
  });

  it('are resources that ask for no network, no permission and no origin', async () => {
    const ask = await connect(all, shows(['text/html', TYPE]));
    const { resources } = Resources.parse((await ask('resources/list')).result);
    const views = resources.filter(({ uri }) => uri.startsWith('ui:'));
    expect(views.map(({ uri }) => uri)).toEqual(VIEWS);
    const none = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
    const meta = { _meta: { ui: { csp: none, prefersBorder: true } } };
    for (const { uri, ...listed } of views) {
      expect(listed).toMatchObject({ mimeType: TYPE, ...meta });
      const { result } = await ask('resources/read', { uri });
      const text: unknown = expect.stringMatching(/^<!doctype html><html lang="en">.*<\/html>$/s);
      expect(result?.['contents']).toEqual([{ uri, mimeType: TYPE, text, ...meta }]);
    }
  });

  it('are hidden with their tools', async () => {
    const ask = await connect(deviceOnly, shows([TYPE]));
    const { resources } = Resources.parse((await ask('resources/list')).result);
    expect(resources.filter(({ uri }) => uri.startsWith('ui:'))).toEqual([]);
    const answers = await Promise.all(VIEWS.map((uri) => ask('resources/read', { uri })));
    expect(answers.map(({ result }) => result)).toEqual([undefined, undefined, undefined]);
  });
});

it('every read of a view is in the record of calls', async () => {
  const ask = await connect2026();
  await ask('resources/read', { uri: 'ui://svc/proposal' });
  await expect
    .poll(async () => JSON.stringify(await world.admin.data('/api/v3/auth/mcp/audit/list', {})), {
      timeout: 20_000,
    })
    .toContain('ui://svc/proposal');
});

const connect2026 = async (): Promise<Ask> => {
  const connect = revisions['2026-07-28'];
  if (!connect) throw new Error('no client of 2026-07-28');
  return connect(all, shows([TYPE]));
};
