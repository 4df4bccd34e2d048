import { createHash } from 'node:crypto';

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { kinds } from '../src/agentic/proposal/kinds.ts';
import { SCOPES_OF } from '../src/auth/permission/audience.ts';
import { centers, permissionCodes } from '../src/gateway/mount/centers.ts';
import { anonymous } from '../src/gateway/mount/public-routes.ts';
import type { Caller } from '../src/kernel/app/app.ts';
import { inputSchema, outputSchema } from '../src/kernel/input/json-schema.ts';
import { listTools } from '../src/mcp/offer/tool-adapter.ts';
import { tools } from '../tools/index.ts';

const MAX_LIST_TOKENS = 6000;
const MAX_SAID_TOKENS = 4200;

/** docs/specification/tools.md, Built-in assistant tools: class → the methods it names. */
const named = {
  Tenant: ['getCurrentTenantInfo'],
  User: ['getCurrentUserProfile'],
  Device: ['lookupDeviceById', 'searchDevices'],
  Driver: ['lookupDriverById', 'searchDrivers'],
  Profile: ['lookupProfileById', 'searchProfiles'],
  Point: ['lookupPointById', 'searchPoints'],
  'Point value': [
    'getLatestPointValue',
    'getPointValueHistory',
    'readPointValue',
    'writePointValue',
  ],
  System: ['getSystemHealth'],
  Command: ['lookupCommandById', 'searchCommands'],
  Event: ['lookupEventById', 'searchEvents'],
};

const everything: Caller = {
  tenantId: '1',
  principalId: '1',
  principalType: 'USER',
  name: 'catalog',
  via: 'oauth',
  permissions: new Set(['*']),
};

describe('the tool registry', () => {
  it.each(Object.entries(named))(
    'has every method the specification names for %s',
    (domain, names) => {
      const listed = tools.filter((tool) => tool.domain === domain && tool.listed === 'direct');
      expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    },
  );

  it('has no name twice', () => {
    const names = tools.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it('sends a model to tools of the list, never to a resource, which most programs do not give it', () => {
    const texts = tools.map((tool) =>
      JSON.stringify([tool.description, inputSchema(tool), outputSchema(tool)]),
    );
    expect(texts.filter((text) => text.includes('svc://'))).toEqual([]);
    const leads = texts
      .join('\n')
      .match(/\b(?:lookup|search|get|read|write|withdraw|propose)[A-Z]\w+/g);
    const names = new Set(tools.map(({ name }) => name));
    expect(leads?.filter((one) => !names.has(one))).toEqual([]);
  });

  it('fits a model: names, titles, descriptions and inputs are at most 4,200 tokens', () => {
    const offered = listTools(tools, everything).map(
      ({ name, title, description, inputSchema: input }) => ({ name, title, description, input }),
    );
    expect(countTokens(JSON.stringify(offered))).toBeLessThanOrEqual(MAX_SAID_TOKENS);
  });

  it('is what was approved: test/tools/tools-list.txt', async () => {
    // One tool a line, as tools/list or searchTools answers it, behind its hash: a change is a diff to approve.
    const whole = tools.map((tool) => ({ ...tool, listed: 'direct' as const }));
    const seen = listTools(whole, everything);
    const listed = tools.map(({ listed: where, scope, permission, annotations }, at) => {
      const text = JSON.stringify({ ...seen[at], annotations });
      const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
      return `${[hash, where, scope, permission || '-', text].join(' ')}\n`;
    });
    await expect(listed.join('')).toMatchFileSnapshot('./tools/tools-list.txt');
  });

  it('fits a model: the whole tools/list result is at most 6,000 tokens', () => {
    const list = listTools(tools, everything);
    const kept = new Set(Object.values(named).flat());
    const movable = tools.filter(
      ({ name, listed, opens }) => listed === 'direct' && !opens && !kept.has(name),
    );
    const why = `take listed: 'direct' from one of ${movable.map(({ name }) => name).join(', ')}`;
    const tokens = countTokens(JSON.stringify({ tools: list }));
    expect(tokens, why).toBeLessThanOrEqual(MAX_LIST_TOKENS);
  });
});

describe.each(tools.map((tool) => [tool.name, tool] as const))('%s', (_name, tool) => {
  it('has title, domain, scope and a description of 40 to 300 characters', () => {
    expect(tool.title).toMatch(/^[A-Z].{3,40}$/);
    expect(tool.domain).not.toBe('');
    expect(SCOPES_OF.mcp).toContain(tool.scope);
    expect(tool.description.length).toBeGreaterThanOrEqual(40);
    expect(tool.description.length).toBeLessThanOrEqual(300);
  });

  it('asks for a permission that a route asks for as well, or leads to tools that do', () => {
    if (tool.opens) expect(tool.permission).toBe('');
    else expect(permissionCodes()).toContain(tool.permission);
  });

  it('says all four hints, and that it changes something only where it does', () => {
    expect(Object.values(tool.annotations).every((hint) => typeof hint === 'boolean')).toBe(true);
    expect(tool.annotations.readOnlyHint).toBe(tool.scope !== 'svc:propose');
  });

  it('takes an object whose every field is described, and nothing else', () => {
    const schema = Fields.parse(inputSchema(tool));
    for (const [field, { description }] of Object.entries(schema.properties)) {
      expect(description, field).toMatch(/.{5,}/);
    }
    expect(schema.additionalProperties).toBe(false);
  });

  it('takes what Gemini and llama.cpp take too: one refused schema is the whole list refused', () => {
    const walk = (schema: unknown, at: string): void => {
      expect(typeof schema, at).toBe('object');
      const { type, format, items, properties, ...rest } = Part.parse(schema);
      expect(Array.isArray(type), at).toBe(false);
      expect(format ?? 'date-time', at).toBe('date-time');
      expect(Object.keys(rest), at).not.toContain('$ref');
      if (type === 'array') walk(items, `${at}[]`);
      for (const [name, field] of Object.entries(properties ?? {})) walk(field, `${at}.${name}`);
    };
    walk(inputSchema(tool), '');
  });

  it('answers an object', () => {
    expect(outputSchema(tool)).toMatchObject({ type: 'object' });
  });

  it('has no alternatives at the top level, which some providers refuse', () => {
    for (const schema of [inputSchema(tool), outputSchema(tool)]) {
      expect(Object.keys(schema)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(anyOf|oneOf|allOf)$/)]),
      );
    }
  });
});

const Part = z.looseObject({
  type: z.unknown().optional(),
  format: z.string().optional(),
  items: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
});

const Fields = z.object({
  type: z.literal('object'),
  properties: z.record(z.string(), z.object({ description: z.string() })),
  additionalProperties: z.boolean(),
});

/** What every login may do for itself, whatever its roles. */
const selfService = [
  'auth/token/cancel',
  'auth/token/check',
  'auth/session/current',
  'auth/session/end',
  'auth/key/add',
  'auth/key/list',
  'auth/key/revoke',
  'auth/mcp/grant/list',
  'auth/mcp/grant/revoke',
  'data/notify/push/subscribe',
  'data/notify/push/unsubscribe',
];

const rows = Object.entries(centers).flatMap(([center, routes]) =>
  routes.map((route) => [`${route.method} ${center}${route.path}`, center, route] as const),
);

/** One test over all routes: a case for each would count as coverage what is one rule. */
function ofEveryRoute(demand: (...row: (typeof rows)[number]) => void): void {
  expect(rows.length).toBeGreaterThan(300);
  for (const row of rows) demand(...row);
}

/** What may change under a scope, by path: all else that changes takes an interactive login. */
const mayChange: Record<string, RegExp> = {
  'svc:propose': /^agentic\/action\/(propose_\w+|withdraw)$/,
  'svc:chat': /^agentic\/(session|attachment)\//,
};

it('every route names its scope, and changes nothing under a reading one', () =>
  ofEveryRoute((name, center, route) => {
    const { scope, risk, path } = route;
    expect([...SCOPES_OF.api, 'interactive'], name).toContain(scope);
    if (scope === 'interactive') return;
    if (scope === 'svc:read-device') expect(risk, name).toEqual({ ...READ, openWorld: true });
    else if (!mayChange[scope]?.test(`${center}${path}`)) expect(risk, name).toEqual(READ);
  }));

/** What cannot be taken back has one gate: the actions. A tool or route of such a risk is a kind of them, or for people alone. */
describe('what cannot be taken back', () => {
  const proposing = Object.values(kinds);

  it.each(tools.filter(({ annotations, opens }) => annotations.destructiveHint && !opens))(
    'is proposed as an action by the tool $name',
    ({ name, permission, scope }) => {
      // What it proposes are writes.
      const kind = name === 'proposeUndo' ? 'writePointValue' : name;
      expect(proposing.find(({ tool }) => tool === kind)?.proposes).toBe(permission);
      expect(scope).toBe('svc:propose');
    },
  );

  it.each(proposing)(
    'is a kind that no standing approval decides but for a write: $tool',
    (kind) => {
      expect(kind.isApprovable).toBe(kind.tool === 'writePointValue');
      expect(permissionCodes()).toContain(kind.proposes);
      expect(permissionCodes()).toContain(kind.confirms);
    },
  );

  it('every route takes an interactive login or a proposal', () =>
    ofEveryRoute((name, center, route) => {
      if (route.scope === 'interactive') return;
      // One's own conversations.
      const isOwn = mayChange['svc:chat']?.test(`${center}${route.path}`);
      expect(route.risk, name).toMatchObject(isOwn ? { openWorld: false } : { destructive: false });
      if (route.scope !== 'svc:propose' || route.path === '/action/withdraw') return;
      expect(`${center}${route.path}`, name).toMatch(/^agentic\/action\/propose_/);
      const code = `svc-center-${center}:${route.needs}`;
      expect(
        proposing.map(({ proposes }) => proposes),
        name,
      ).toContain(code);
    }));
});

const READ = { riskLevel: 'LOW', destructive: false, idempotent: true, openWorld: false };

it('every route asks for a permission that says what it does', () =>
  ofEveryRoute((name, _center, route) => {
    if (route.scope === 'interactive' && route.needs === 'authenticated') return;
    const reads = /:(list|get|read)$/.test(route.needs);
    if (route.needs !== 'public') expect(reads, name).toBe(route.risk.riskLevel === 'LOW');
  }));

it('every route has a permission, a risk and a summary', () =>
  ofEveryRoute((name, center, route) => {
    if (route.needs === 'public')
      expect(anonymous(center, route.path).permissions.size, name).toBe(0);
    else if (route.needs === 'authenticated')
      expect(selfService, name).toContain(`${center}${route.path}`);
    else expect(route.needs, name).toMatch(/^[a-z_]+:[a-z_]+$/);
    expect(route.risk, name).toEqual({
      riskLevel: expect.stringMatching(/^(LOW|MEDIUM|HIGH)$/),
      destructive: expect.any(Boolean),
      idempotent: expect.any(Boolean),
      openWorld: expect.any(Boolean),
    });
    expect(route.summary, name).toMatch(/^[A-Z].{10,}/);
  }));

it('no route stands twice', () => {
  const names = rows.map(([name]) => name);
  expect(names).toEqual([...new Set(names)]);
});
