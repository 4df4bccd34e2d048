import { MemoryBus } from '../../../src/bus/memory.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { type Owned, populate } from '../cases/populate.ts';
import { onboard, type Plant } from '../devices/plant.ts';
import { call, type FakeModel, say, startModel } from '../neighbours/model.ts';
import { bearerFor } from '../people/bearer.ts';
import { inTurn } from '../people/chat-world.ts';
import { clients, type McpClient } from '../people/mcp.ts';
import type { Session } from '../people/session.ts';
import { startWorld, type World } from '../world/app.ts';
import type { FreshDatabase } from '../world/database.ts';
import { HeldClock } from '../world/shifted-clock.ts';
import { LEAVER } from './examples/auth.ts';
import { type Meter, openMeter } from './meter.ts';

const AGENT = 'client 2 pinned to 2026-07-28';

/** A tenant with one of everything, and nothing that runs by itself. */
export type Site = {
  world: World;
  clock: HeldClock;
  meter: Meter;
  model: FakeModel;
  platform: Session;
  mine: Session;
  agent: McpClient;
  own: Owned;
  plant: Plant;
  stop(): Promise<void>;
};

/** A model that asks for as many tools as a question names numbers: `1 3` is one tool, then three at once. */
const startAsking = (): Promise<FakeModel> =>
  startModel((sent) => {
    const question = sent.messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const asked = /^tools ([\d ]+)/.exec(question)?.[1]?.split(' ').map(Number) ?? [];
    const rounds = sent.messages
      .slice(sent.messages.length - inTurn(sent))
      .filter(({ role }) => role === 'assistant').length;
    const tools = asked[rounds];
    if (tools === undefined) return say('All is well.');
    return call(
      ...Array.from({ length: tools }, (_, at): [string, object] => [
        'searchDevices',
        { deviceName: `round ${rounds} call ${at}` },
      ]),
    );
  });

/** On a database of its own, made by the test project unless it is given. */
export async function startSite(database?: FreshDatabase): Promise<Site> {
  const clock = new HeldClock();
  const meter = openMeter();
  const model = await startAsking();
  const world = await startWorld({
    ...(database && { database }),
    clock,
    // In this process on both engines: the end of a message can be seen.
    bus: meter.watched(new MemoryBus({ clock, log: createLog('silent') })),
    environment: {
      AGENTIC_FALLBACK_OPENAI_BASE_URL: model.baseUrl,
      AGENTIC_FALLBACK_OPENAI_API_KEY: 'fallback-key',
      AGENTIC_FALLBACK_OPENAI_MODEL: 'fake-1',
      SVC_EGRESS_ALLOW: new URL(model.baseUrl).host,
    },
  });
  const mine = await world.tenant('mine');
  await world.tenant(LEAVER);
  const own = await populate(world, mine);
  const plant = await onboard(mine);
  const token = await bearerFor(mine, { scope: 'svc:read svc:read-device svc:propose' });
  const connect = clients[AGENT];
  if (!connect) throw new Error(`there is no ${AGENT}`);
  const agent = await connect(world.base, token);
  clock.hold();
  await meter.settled();
  return {
    world,
    clock,
    meter,
    model,
    platform: world.admin,
    mine,
    agent,
    own,
    plant,
    async stop() {
      await agent.close();
      meter.close();
      await world.stop();
      await model.stop();
    },
  };
}
