import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { centers } from '../../src/gateway/mount/centers.ts';
import { tools } from '../../tools/index.ts';
import { casesOf, missing } from '../support/cases/foreign-cases.ts';
import { populate } from '../support/cases/populate.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients, type McpClient } from '../support/people/mcp.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { withoutTenantFilter } from '../support/world/without-filter.ts';

// What the caller's own login decides, or nobody's id: a foreign one there is another story.
const NOT_ENTITIES = ['/token/', '/session/current', '/session/end'];

const Pending = z.array(z.looseObject({ now: z.unknown(), say: z.string(), summary: z.string() }));

const rows = Object.entries(centers).flatMap(([center, routes]) =>
  routes
    .filter(
      ({ path, needs }) =>
        needs !== 'public' && !NOT_ENTITIES.some((part) => path.startsWith(part)),
    )
    .map((route) => ({ ...route, center, name: `${route.method} /api/v3/${center}${route.path}` })),
);

/**
 * docs/specification/tenant-isolation.md 2: generated from the route tables and the tool list, none
 * hand-picked.
 */
describe.each([
  ['with both walls', false],
  ['with row-level security alone', true],
])('an id of another tenant, %s', (_name, alone) => {
  let mcp: McpClient;
  let forgotten = (): number => 1;
  let before: string;

  const everything = async (): Promise<string> => {
    const seen: unknown[] = [];
    for (const [path, query] of [
      ['manager/driver', foreign.driver],
      ['manager/profile', foreign.profile],
      ['manager/point', foreign.point],
      ['manager/device', foreign.device],
      ['manager/driver_attribute_config', foreign.driverAttributeConfig],
      ['manager/point_attribute_config', foreign.pointAttributeConfig],
      ['manager/command', foreign.command],
      ['manager/event', foreign.event],
      ['manager/command_attribute', foreign.commandAttribute],
      ['manager/event_attribute', foreign.eventAttribute],
      ['manager/command_attribute_config', foreign.commandAttributeConfig],
      ['manager/event_attribute_config', foreign.eventAttributeConfig],
      ['manager/command_param', foreign.commandParam],
      ['manager/event_param', foreign.eventParam],
      ['manager/group', foreign.group],
      ['manager/group_bind', foreign.groupBind],
      ['manager/label', foreign.label],
      ['manager/label_bind', foreign.labelBind],
      ['data/rule', foreign.rule],
      ['data/notify', foreign.notify],
      ['data/notify/channel', foreign.channel],
      ['data/notify/channel/bind', foreign.bind],
      ['data/message', foreign.message],
      ['data/notify/history', foreign.notification],
      ['auth/service_account', foreign.serviceAccount],
      ['auth/user_profile', foreign.user],
      ['auth/local_credential', foreign.credential],
      ['auth/role', foreign.role],
    ] as const) {
      seen.push(await theirs.data(`/api/v3/${path}/get_by_id`, undefined, { id: query }));
    }
    for (const list of ['tenant_membership', 'role_principal', 'role_resource']) {
      seen.push(await theirs.data(`/api/v3/auth/${list}/list`, {}));
    }
    for (const list of ['client', 'connection'])
      seen.push(await theirs.data(`/api/v3/auth/mcp/${list}/list`, {}));
    // What is known now of its device goes on changing: not its card.
    for (const { now: _now, say: _say, summary: _summary, ...card } of Pending.parse(
      await theirs.data('/api/v3/agentic/action/pending'),
    ))
      seen.push(card);
    seen.push(await theirs.data('/api/v3/agentic/session/list', {}));
    for (const list of ['message', 'attachment']) {
      const query = { conversation_id: foreign.conversation };
      seen.push(await theirs.data(`/api/v3/agentic/${list}/list`, undefined, query));
    }
    seen.push(await theirs.data('/api/v3/agentic/provider/list'));
    seen.push(await theirs.data('/api/v3/agentic/model/config/list'));
    seen.push(await theirs.data('/api/v3/data/point_command_history/list', {}));
    seen.push(await theirs.data('/api/v3/data/command_history/list', {}));
    seen.push(await theirs.data('/api/v3/data/event_history/list', {}));
    seen.push(await theirs.data('/api/v3/data/dashboard/alert/page', { source: 'point' }));
    // The age of a card's value is reckoned at the moment it is shown: it alone may differ between two looks.
    return JSON.stringify(seen).replaceAll(/less than 1 min old|\d+ (?:min|h|d) old/g, '<age>');
  };

  const world = startedWorld({ environment: { SVC_DEMO: 'on' } });
  const mine = prepared(() => world.tenant('mine'));
  const theirs = prepared(() => world.tenant('theirs'));
  const own = prepared(() => populate(world, mine));
  const foreign = prepared(() => populate(world, theirs));
  beforeAll(async () => {
    // The device goes on reporting values: without a rule they change no alarm meanwhile.
    await theirs.data('/api/v3/data/rule/update', { id: foreign.rule, enableFlag: 'DISABLE' });
    const token = await bearerFor(mine, { scope: 'svc:read svc:read-device svc:propose' });
    const [connect] = Object.values(clients);
    if (!connect) throw new Error('no MCP client');
    mcp = await connect(world.base, token);
    before = await everything();
    if (alone) forgotten = withoutTenantFilter(world.app.db);
  });
  afterAll(async () => {
    await mcp.close();
  });

  // Quoted, because an id may be as short as the digits of a status.
  const same = (answer: unknown, id: string): string =>
    JSON.stringify(answer).replaceAll(new RegExp(`(\\\\*")${id}\\1`, 'g'), '<id>');

  it.each(rows)('answers like a missing one: $name', async ({ method, path, center, input }) => {
    for (const { field, kind, input: build } of casesOf({ center, path, input }, own)) {
      const answers: string[] = [];
      for (const id of [foreign[kind], missing(kind)]) {
        const given = build(id);
        const { status, body } =
          method === 'get'
            ? await mine.get(
                `/api/v3/${center}${path}`,
                Object.fromEntries(
                  Object.entries(given).map(([key, value]) => [key, String(value)]),
                ),
              )
            : await mine.post(`/api/v3/${center}${path}`, given);
        // A new entity's own id, or a random command id, is no answer about the other one.
        const comparable =
          status === 200 && typeof body.data === 'string' ? { ...body, data: '<new>' } : body;
        answers.push(same({ status, ...comparable }, id));
        // Refused as malformed, it proves nothing of tenants.
        expect([400, 500], `${field}: ${JSON.stringify(body)}`).not.toContain(status);
      }
      expect(answers[0], field).toBe(answers[1]);
    }
  });

  it.each(tools)('answers like a missing one over MCP: $name', async ({ name, input }) => {
    for (const { field, kind, input: build } of casesOf(
      { center: 'tools', path: `/${name}`, input },
      own,
    )) {
      const answers: string[] = [];
      for (const id of [foreign[kind], missing(kind)]) {
        const { content, isError, structuredContent } = await mcp.call(name, build(id));
        answers.push(same({ content, isError, structuredContent }, id));
      }
      expect(answers[0], field).toBe(answers[1]);
    }
  });

  it('is never changed by any of this', async () => {
    // A minute later at least, as on a slow machine.
    world.clock.shift(61_000);
    expect(await everything()).toBe(before);
  });

  it('really ran without the filter where that is said', () => {
    expect(forgotten()).toBeGreaterThan(0);
  });
});
