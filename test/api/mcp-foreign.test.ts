import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inputSchema } from '../../src/kernel/input/json-schema.ts';
import { tools } from '../../tools/index.ts';
import { resources } from '../../tools/resource/index.ts';
import { everythingIn, type Ids } from '../support/cases/mcp-ids.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients, type McpClient } from '../support/people/mcp.ts';
import { startedWorld } from '../support/world/prepared.ts';

const SCOPE = 'svc:read svc:read-device svc:propose';
const MISSING_ID = '999999999';
const MISSING_UUID = '00000000-0000-4000-8000-000000000000';

let client: McpClient;
let ours: Ids;
let theirs: Ids;
const world = startedWorld();
beforeAll(async () => {
  const connect = clients['client 2 pinned to 2026-07-28'];
  if (!connect) throw new Error('no such client');
  const session = (token: string) => connect(world.base, token);
  client = await session(await bearerFor(world.admin, { scope: SCOPE }));
  ours = await everythingIn(world, world.admin, client, 'ours');
  const other = await world.tenant('other');
  const foreign = await session(await bearerFor(other, { scope: SCOPE }));
  theirs = await everythingIn(world, other, foreign, 'theirs');
  await foreign.close();
});
afterAll(async () => {
  await client.close();
});

const Fields = z.object({
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()).default([]),
});

/** What a tool is given besides, for an answer that depends on the id. */
const ALSO: Record<string, readonly string[]> = {
  getPointValueHistory: ['deviceId', 'pointId'],
  waitForEvents: ['cursor', 'waitS'],
  proposeFirmware: ['groupId'],
  previewRule: ['ruleId'],
  proposeRuleChange: ['level'],
  'proposeRule pointId': ['operator'],
  'proposeRule notifyId': ['pointId', 'operator'],
  'proposeOnboarding waitingId': ['deviceName'],
  'proposeOnboarding profileId': ['deviceName'],
  'proposeOnboarding groupId': ['deviceName'],
};
/** Of the ids of a kind, the one that a tool can do something with. */
const OWN: Record<string, string> = { 'proposeOnboarding deviceId': 'onboardedId' };
/** From the first event on, without waiting. */
const VALUES: Record<string, unknown> = {
  cursor: 'f0',
  waitS: 0,
  at: '2026-11-29T03:00:00Z',
  operator: 'exists',
  hours: 2,
  level: 'P1',
  deviceName: 'onboarded',
};

const cases = tools.flatMap((tool) => {
  const { properties, required } = Fields.parse(inputSchema(tool));
  return Object.keys(properties)
    .filter((field) => field.endsWith('Id'))
    .map((field) => {
      const also = ALSO[tool.name] ?? ALSO[`${tool.name} ${field}`] ?? [];
      return [tool.name, field, [...required, ...also]] as const;
    });
});

describe.each(cases)('%s with a foreign %s', (name, field, required) => {
  it('answers exactly as with a missing one', async () => {
    const foreignIds = theirs[field] ?? [];
    expect(foreignIds).not.toEqual([]);
    for (const foreign of foreignIds) {
      const missing = foreign.includes('-') ? MISSING_UUID : MISSING_ID;
      const answers = await Promise.all(
        [foreign, missing].map((id) => client.call(name, { ...needed(required), [field]: id })),
      );
      expect(answers[0]).toEqual(answers[1]);
      expect(JSON.stringify(answers[0])).not.toContain('theirs');
    }
  });

  it('answers otherwise with an own one, so that the comparison means something', async () => {
    const [own = ''] = ours[OWN[`${name} ${field}`] ?? field] ?? [];
    const answer = await client.call(name, { ...needed(required), [field]: own });
    const missing = { ...needed(required), [field]: MISSING_ID };
    // The own one waits, so it has nothing to undo.
    expect(answer.isError ?? false).toBe(name === 'proposeUndo');
    expect(answer).not.toEqual(await client.call(name, missing));
    // What was withdrawn just now is looked for again below.
    if (name === 'withdrawAction')
      await client.call('writePointValue', needed(['deviceId', 'pointId', 'value']));
  });
});

/** Own values for what a tool must be given. */
const needed = (required: readonly string[]) =>
  Object.fromEntries(required.map((field) => [field, ours[field]?.[0] ?? VALUES[field] ?? '21']));

/** Where a list goes on: nothing that anybody owns. */
const places: Readonly<Record<string, string>> = {
  position: '0.0.1',
  cursor: '4102444800000.1',
};

const addresses = resources.flatMap(({ uri, params }) =>
  Object.keys(params.shape)
    .filter((field) => !(field in places))
    .map((field) => [uri, field] as const),
);

describe.each(addresses)('%s with a foreign %s', (template, field) => {
  const address = (id: string): string =>
    template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === field ? id : (places[name] ?? ours[name]?.[0] ?? ''),
    );
  const refusal = async (id: string): Promise<unknown> => {
    const uri = address(id);
    const error = await client.read(uri).then(
      (answer) => ({ answer }),
      (reason: unknown) => Refused.parse(reason),
    );
    return JSON.parse(JSON.stringify(error).replaceAll(uri, '…'));
  };

  it('answers exactly as with a missing one', async () => {
    const [foreign = ''] = theirs[field] ?? [];
    expect(foreign).not.toBe('');
    const missing = foreign.includes('-') ? MISSING_UUID : MISSING_ID;
    const refused = await refusal(foreign);
    expect(refused).toEqual(await refusal(missing));
    expect(refused).toMatchObject({ code: -32602, data: { uri: '…' } });
  });

  it('answers with an own one, so that the comparison means something', async () => {
    const [own = ''] = ours[field] ?? [];
    expect(await client.read(address(own))).toMatchObject({ [field]: own });
  });
});

const Refused = z.object({ code: z.number(), message: z.string(), data: z.unknown() });

describe('what is read without an id', () => {
  const fixed = resources.filter(({ params }) => Object.keys(params.shape).length === 0);

  it.each(fixed.map(({ uri }) => [uri]))('%s holds what is ours, and nothing else', async (uri) => {
    const text = JSON.stringify(await client.read(uri));
    expect(text).toContain('ours');
    expect(text).not.toContain('theirs');
  });

  it('the list names our devices only', async () => {
    const text = JSON.stringify(await client.resources());
    expect(text).toContain(`svc://device/${ours['deviceId']?.[0]}`);
    expect(text).not.toContain('theirs');
    expect(text).not.toContain(`svc://device/${theirs['deviceId']?.[0]}"`);
  });
});
