import { setTimeout as sleep } from 'node:timers/promises';

import { sql } from 'kysely';

import { inTenant } from '../../../../src/db/tenant.ts';
import { bearerFor } from '../../people/bearer.ts';
import { type Listening, listenTo } from '../../people/listening.ts';
import type { World } from '../../world/app.ts';
import { happens } from '../happenings.ts';

const STREAMS_OF_PRINCIPAL = 50;
/** So much longer than the second in which a URI is told once, that a late round holds up none after it. */
const PAUSE_MS = 2_500;

/** Milliseconds from the begin of a transaction to its notice at each subscriber, `rounds` times. */
export async function noticeTimes(
  world: World,
  { subscribers, rounds }: { subscribers: number; rounds: number },
): Promise<number[]> {
  const tenant = await world.tenant('notice');
  const { tenantId } = tenant;
  const alarmId = await happens(world, { tenantId });
  const times: number[] = [];
  let committed = 0;
  const note = (): void => {
    times.push(performance.now() - committed);
  };
  const streams: Listening[] = [];
  let token = '';
  while (streams.length < subscribers) {
    if (streams.length % STREAMS_OF_PRINCIPAL === 0)
      token = await bearerFor(tenant, { scope: 'svc:read' });
    streams.push(await listenTo(world.base, token, [`svc://alarm/${alarmId}`], note));
  }
  // The first notice warms up.
  await decide(world, tenantId, alarmId);
  await sleep(PAUSE_MS * 2);
  times.length = 0;
  for (let round = 0; round < rounds; round += 1) {
    committed = performance.now();
    await decide(world, tenantId, alarmId);
    await sleep(PAUSE_MS);
    const missing = (round + 1) * subscribers - times.length;
    for (let waited = 0; waited < 20 && times.length < (round + 1) * subscribers; waited += 1)
      await sleep(100);
    if (times.length < (round + 1) * subscribers)
      throw new Error(`${missing} of ${subscribers} subscribers were not told`);
  }
  for (const stream of streams) stream.close();
  return times;
}

/** Confirms an alarm, or takes that back. */
const decide = ({ app }: World, tenantId: string, alarmId: string): Promise<unknown> =>
  inTenant(app.db, tenantId, (q) =>
    q
      .updateTable('svc_entity_alarm')
      .set({ confirmFlag: sql<number>`1 - confirm_flag` })
      .where('tenantId', '=', tenantId)
      .where('id', '=', alarmId)
      .execute(),
  );
