import { z } from 'zod';

import type { Session } from '../people/session.ts';
import { flat, HostileClient } from './http.ts';
import { inParallel } from './pool.ts';
import type { Site } from './surface.ts';
import { CHAT, wrongChat } from './surface/chat.ts';
import { jsonOf } from './values.ts';

const WIDTH = 4;

const Reason = z.object({ error: z.object({ code: z.string() }) });

/** Says hello again and again to a model that may answer anything. */
export async function converse(
  { world, random, tally, inputs, until }: Site,
  { headers }: Session,
): Promise<void> {
  const client = new HostileClient(world.base);
  await inParallel(
    inputs,
    WIDTH,
    async () => {
      const got = await client.send({
        method: 'POST',
        path: CHAT,
        headers: ['content-type', 'application/json', ...flat(headers)],
        body: jsonOf({
          stream: random.chance(0.5),
          messages: [{ role: 'user', content: 'hello' }],
        }),
      });
      // 503 is the documented answer when the provider fails: it says so.
      const isExplained = got.status === 503 && Reason.safeParse(JSON.parse(got.text)).success;
      const wrong = isExplained ? null : wrongChat(got, 'POST');
      tally.count(got.status, got.ms, wrong, got.text.slice(0, 300));
    },
    until,
  );
  client.close();
}
