import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { propose } from '../../src/agentic/propose/action.ts';
import { type Audience, SCOPES_OF } from '../../src/auth/permission/audience.ts';
import { centers, CHAT, MODELS } from '../../src/gateway/mount/centers.ts';
import type { Scope } from '../../src/kernel/app/app.ts';
import type { Route } from '../../src/kernel/app/route.ts';
import { tools } from '../../tools/index.ts';
import { resources } from '../../tools/resource/index.ts';
import { ownInput } from '../support/cases/foreign-cases.ts';
import { populate } from '../support/cases/populate.ts';
import { rowDigests } from '../support/cases/row-digest.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn } from '../tools/agent.ts';

type Row = Pick<Route, 'method' | 'path' | 'scope'> & { input?: Record<string, unknown> };

const Made = z.object({ key: z.string() });
/** The tables whose rows a scope may change; audit, command and receipt rows are apart. */
const CHANGES: Record<Scope, readonly string[]> = {
  'svc:read': [],
  'svc:read-device': [],
  'svc:propose': ['svc_action'],
  'svc:chat': [
    'svc_attachment',
    'svc_chat_budget_use',
    'svc_chat_handle',
    'svc_chat_step',
    'svc_message',
    'svc_session',
  ],
};
/** REST proposes nothing: it withdraws. */
const CHANGES_OF_TOOLS = {
  ...CHANGES,
  'svc:propose': ['svc_action', 'svc_action_step'],
};

/** What a call that its scope opens answers where it is not 200: the rows have no such thing to show. */
const OTHERWISE: Record<string, number> = {
  '/api/v3/manager/driver/get_by_service_name': 404,
  // Its rule is disabled.
  '/api/v3/data/rule/state/get_by_id': 404,
  // This test sends JSON; the upload itself is tested where attachments are.
  '/api/v3/agentic/attachment/upload': 415,
  '/api/v3/agentic/manual/upload': 415,
  // The conversation was removed by its own route before.
  '/api/v3/agentic/attachment/list': 404,
  '/api/v3/agentic/attachment/download': 404,
  '/api/v3/agentic/session/branch/select': 404,
  '/api/v3/agentic/session/turn/stop': 404,
  // It takes devices, a group or a label, and none of the three is needed by itself.
  '/api/v3/agentic/action/propose_firmware': 400,
  // No rule watches the place of its alarm any more.
  '/api/v3/agentic/action/propose_silence': 409,
};

/** What a tool that its scope opens says where it cannot do it: the rows have no such thing. */
const OPENED: Record<string, string> = {
  proposeSilence: 'no rule watches the place of this alarm',
  proposeUndo: 'Only what was executed can be undone',
};

/** Generated from the route table, the tool list and the resources; the keys are an admin's, who may do all. */
describe('each scope alone', () => {
  let rows: Row[];

  const keyFor = async (audience: Audience, scope: Scope, name = ''): Promise<string> =>
    Made.parse(
      await world.admin.data('/api/v3/auth/key/add', {
        keyName: `${name}${audience} ${scope.replace(':', '-')}`,
        audience,
        scopes: [scope],
      }),
    ).key;

  /** Only its proposer may withdraw a proposal, so the keys' owner has one. */
  const ownProposal = async (value: string): Promise<string> => {
    const { device: deviceId, point: pointId } = own;
    const target = { deviceId, pointId, value };
    return (await propose(world.app, agentIn(world.admin), target)).actionId;
  };

  const world = startedWorld({ environment: { SVC_DEMO: 'on' } });
  const own = prepared(() => populate(world, world.admin));
  beforeAll(async () => {
    // The device goes on reporting values: without a rule they change no alarm meanwhile.
    await world.admin.data('/api/v3/data/rule/update', { id: own.rule, enableFlag: 'DISABLE' });
    const actionId = await ownProposal('6');
    const tables = Object.entries(centers).flatMap(([center, routes]) =>
      routes
        .filter(({ needs }) => needs !== 'public')
        .map(({ method, path, scope, input }) => ({
          method,
          path: `/api/v3/${center}${path}`,
          scope,
          input: {
            ...ownInput(
              { center, path, input },
              path === '/action/withdraw' ? { ...own, action: actionId } : own,
            ),
            ...(path === '/action/propose_maintenance' && { scopeFlag: 'PLANT' }),
            ...(path === '/rule/drill' && { ruleId: own.rule }),
            ...(path === '/rule/preview' && { pointId: own.point }),
            ...(path === '/action/propose_rule' && { pointId: own.point }),
            ...(path === '/dashboard/alert/to_confirm' && { ids: [own.alarm] }),
          },
        })),
    );
    const question = { messages: [{ role: 'user', content: 'what is the time?' }] };
    rows = [
      ...tables,
      { method: 'get', path: '/api/v3/agentic/models', scope: MODELS.scope },
      {
        method: 'post',
        path: '/api/v3/agentic/chat/completions',
        scope: CHAT.scope,
        input: question,
      },
    ];
    // That an agent tried to decide is noted of each once.
    const confirm = rows.find(({ path }) => path.endsWith('/action/confirm'));
    if (confirm) await ask(confirm, await keyFor('api', 'svc:read', 'first '));
  });

  const ask = async ({ method, path, input = {} }: Row, key: string): Promise<number> => {
    const url = new URL(world.base + path);
    const headers: Record<string, string> = { authorization: `Bearer ${key}` };
    if (method === 'get')
      for (const [name, value] of Object.entries(input)) url.searchParams.set(name, String(value));
    else headers['content-type'] = 'application/json';
    const body = method === 'get' ? {} : { body: JSON.stringify(input) };
    const signal = AbortSignal.timeout(30_000);
    const response = await fetch(url, { method, headers, signal, ...body });
    await response.arrayBuffer();
    return response.status;
  };

  /** 200 is an answer that is no error, also none of the protocol or of the tool. */
  const call = async (method: string, params: object, key: string): Promise<number | string> => {
    const response = await fetch(`${world.base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    return response.ok && /"isError":true|"error":\{/.test(text) ? text : response.status;
  };

  /** No table beside those of the scope has changed; each table of its has. */
  const expectChanges = async (
    expected: readonly string[],
    before: Record<string, string>,
  ): Promise<void> => {
    const after = await rowDigests(world.app.db);
    const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
    expect(changed).toEqual(expected);
  };

  it('is judged by rows that are seen: of each kind that no scope may change, and more', async () => {
    const digests = await rowDigests(world.app.db);
    for (const table of ['device', 'point', 'rule', 'principal', 'key', 'role', 'entity_alarm'])
      expect(digests[`svc_${table}`]).toMatch(/^[\da-f]{32}$/);
    expect(digests['svc_action']).toMatch(/^[\da-f]{32}$/);
  });

  it.each(SCOPES_OF.api)('opens over REST what declares it and nothing else: %s', async (scope) => {
    const key = await keyFor('api', scope);
    const before = await rowDigests(world.app.db);
    const wrong: string[] = [];
    let open = 0;
    for (const row of rows) {
      const status = await ask(row, key);
      // A refused input would leave the rows as they are under any scope.
      const right = row.scope === scope ? (OTHERWISE[row.path] ?? 200) : 403;
      if (status !== right) wrong.push(`${row.method} ${row.path} (${row.scope}): ${status}`);
      if (row.scope === scope) open += 1;
    }
    expect(wrong).toEqual([]);
    expect(open).toBeGreaterThan(0);
    await expectChanges(CHANGES[scope], before);
  });

  it.each(SCOPES_OF.mcp)('opens over MCP what declares it and nothing else: %s', async (scope) => {
    const key = await keyFor('mcp', scope);
    const mine = { ...own, action: await ownProposal('7') };
    const before = await rowDigests(world.app.db);
    const { device, point, alarm, action } = own;
    const ids: Record<string, string> = {
      deviceId: device,
      pointId: point,
      alarmId: alarm,
      actionId: action,
      rolloutId: own.rollout,
      cursor: '9999999999999.1',
      position: '0.0.1',
    };
    const wrong: string[] = [];
    // What leads to others is counted as those.
    for (const { name, scope: declared, input } of tools.filter(({ opens }) => !opens)) {
      const isWithdrawal = name === 'withdrawAction';
      const given = ownInput(
        { center: 'tools', path: `/${name}`, input },
        isWithdrawal ? mine : own,
      );
      // It takes either a list of points or the ids of one.
      const besides: Record<string, object> = {
        getPointValueHistory: { deviceId: device, pointId: point },
        proposeFirmware: { deviceIds: [device] },
        previewRule: { pointId: point, operator: 'exists' },
        proposeRule: { pointId: point, operator: 'exists' },
        proposeMaintenance: { plant: true },
        drillNotification: { ruleId: own.rule, at: '2026-11-29T03:00:00Z' },
      };
      const asked = { name, arguments: { ...given, ...besides[name] } };
      const status = await call('tools/call', asked, key);
      const refusal = OPENED[name];
      const isOpen = status === 200 || (refusal !== undefined && String(status).includes(refusal));
      if (declared === scope ? !isOpen : status !== 403) wrong.push(`${name}: ${status}`);
    }
    for (const { uri, scope: declared } of resources) {
      const named = uri.replaceAll(/\{(\w+)\}/g, (_, id: string) => String(ids[id]));
      const status = await call('resources/read', { uri: named }, key);
      if (status !== (declared === scope ? 200 : 403)) wrong.push(`${uri}: ${status}`);
    }
    expect(wrong).toEqual([]);
    await expectChanges(CHANGES_OF_TOOLS[scope], before);
  });

  it('is not given where it opens nothing', async () => {
    const { status } = await world.admin.post('/api/v3/auth/key/add', {
      keyName: 'chat over MCP',
      audience: 'mcp',
      scopes: ['svc:chat'],
    });
    expect(status).toBe(400);
  });
});
