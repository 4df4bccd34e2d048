import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inputSchema } from '../../src/core/json-schema.ts';
import { tools } from '../../tools/index.ts';
import { startWorld, type World } from '../support/app.ts';
import { bearerFor } from '../support/bearer.ts';
import { clients, type McpClient } from '../support/mcp.ts';
import type { Session } from '../support/session.ts';
import { onboardVirtual } from '../tools/agent.ts';

/** An id of every kind a tool takes, by the name of the argument. */
type Ids = Record<string, string[]>;

const SCOPE = 'svc:read svc:read-device svc:propose';
const MISSING_ID = '999999999';
const MISSING_UUID = '00000000-0000-4000-8000-000000000000';

let world: World;
let client: McpClient;
let ours: Ids;
let theirs: Ids;

beforeAll(async () => {
  world = await startWorld();
  const connect = clients['client 2 pinned to 2026-07-28'];
  if (!connect) throw new Error('no such client');
  const session = (token: string) => connect(world.base, token);
  client = await session(await bearerFor(world.admin, { scope: SCOPE }));
  ours = await everything(client, world.admin, 'ours');
  const other = await world.tenant('other');
  const foreign = await session(await bearerFor(other, { scope: SCOPE }));
  theirs = await everything(foreign, other, 'theirs');
  await foreign.close();
});
afterAll(async () => {
  await client.close();
  await world.stop();
});

/** One of everything that has an id, in the tenant of `session`. */
async function everything(agent: McpClient, session: Session, name: string): Promise<Ids> {
  const site = await onboardVirtual(session, name);
  const { deviceId, pointId, profileId, driverId } = site;
  const add = (noun: string, body: object) =>
    session.data(`/api/v3/manager/${noun}/add`, { ...body, profileId }).then(String);
  const commandId = await add('command', { commandName: `${name} command` });
  const eventId = await add('event', { eventName: `${name} event` });
  const pair = { deviceId, pointId };
  const read = Issued.parse((await agent.call('readPointValue', pair)).structuredContent);
  const proposal = await agent.call('writePointValue', { ...pair, value: 21 });
  const { actionId } = Proposed.parse(proposal.structuredContent);
  return {
    deviceId: [deviceId],
    pointId: [pointId],
    profileId: [profileId],
    driverId: [driverId],
    commandId: [commandId, read.commandId],
    eventId: [eventId],
    actionId: [actionId],
  };
}

const Issued = z.object({ commandId: z.string() });
const Proposed = z.object({ actionId: z.string() });
const Fields = z.object({
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()).default([]),
});

const cases = tools.flatMap((tool) => {
  const { properties, required } = Fields.parse(inputSchema(tool));
  return Object.keys(properties)
    .filter((field) => field.endsWith('Id'))
    .map((field) => [tool.name, field, required] as const);
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
    const [own = ''] = ours[field] ?? [];
    const answer = await client.call(name, { ...needed(required), [field]: own });
    const missing = { ...needed(required), [field]: MISSING_ID };
    expect(answer.isError).not.toBe(true);
    expect(answer).not.toEqual(await client.call(name, missing));
  });
});

/** Own values for what a tool must be given. */
const needed = (required: readonly string[]) =>
  Object.fromEntries(required.map((field) => [field, ours[field]?.[0] ?? '21']));
