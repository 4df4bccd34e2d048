import { expect, it } from 'vitest';
import { z } from 'zod';

import { bearerFor } from '../support/people/bearer.ts';
import { listenTo } from '../support/people/listening.ts';
import { happens } from '../support/runs/happenings.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { withServer } from '../support/world/template.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

const Waited = z.object({
  nextCursor: z.string(),
  events: z.array(z.object({ alarmId: z.string() })),
});
const ACTIVE = 'svc://alarm/active';
/** The session's last statement: what listens asks nothing else in its first seconds. */
const ofNotices = `from pg_stat_activity where datname = current_database() and query like 'listen svc_feed%'`;

it('the feed tells what is committed while its connection for notices is lost', async () => {
  const world = await startWorld();
  try {
    const { tenantId } = world.admin;
    const url = world.app.config.databaseUrl ?? '';
    const wait = async (given: { cursor?: string; waitS: number }) =>
      Waited.parse(
        await toolNamed('waitForEvents').run(world.app, agentIn(world.admin), {
          kinds: ['alarm'],
          ...given,
        }),
      );
    const { nextCursor: begin } = await wait({ waitS: 0 });
    const token = await bearerFor(world.admin, { scope: 'svc:read' });
    const listening = await listenTo(world.base, token, [ACTIVE]);
    const sessions = async () =>
      withServer(url, async (client) => (await client.query(`select pid ${ofNotices}`)).rowCount);
    await eventually(sessions, (count) => count === 1);

    const waiting = wait({ cursor: begin, waitS: 20 });
    await withServer(url, (client) =>
      client.query(`select pg_terminate_backend(pid) ${ofNotices}`),
    );
    const raised: string[] = [];
    // Within the second before the next connection.
    for (let n = 0; n < 5; n += 1) raised.push(await happens(world, { tenantId }));
    expect(await sessions()).toBe(0);

    await eventually(
      async () => listening.told,
      (told) => told.includes(ACTIVE),
    );
    const { events, nextCursor } = await waiting;
    const later = await wait({ cursor: nextCursor, waitS: 0 });
    const read = [...events, ...later.events].map(({ alarmId }) => alarmId);
    expect(read).toEqual(raised);
    listening.close();
  } finally {
    await world.stop();
  }
});
