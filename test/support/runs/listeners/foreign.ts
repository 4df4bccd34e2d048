import { setTimeout as sleep } from 'node:timers/promises';

import { sql } from 'kysely';

import { raise } from '../../../../src/alarm/alarm/raise.ts';
import { acrossTenants, inTenant } from '../../../../src/db/tenant.ts';
import { bearerFor } from '../../people/bearer.ts';
import { type Listening, listenTo } from '../../people/listening.ts';
import type { World } from '../../world/app.ts';
import { eventually } from '../../world/eventually.ts';
import { happens } from '../happenings.ts';

const URIS_OF_STREAM = 100;
const STREAMS_OF_PRINCIPAL = 50;
const ALARMS_AT_ONCE = 100;
const QUIET_MS = 1_500;

export type Foreign = { uris: number; streams: number; written: number; told: number };

/**
 * Listeners of one tenant to the resources of alarms that another tenant then raises: what was told of them before
 * an alarm of their own, which is the end of the run.
 */
export async function listenToForeign(world: World, uris: number): Promise<Foreign> {
  const [mine, theirs] = [await world.tenant('foreign-a'), await world.tenant('foreign-b')];
  const { rows } = await acrossTenants(world.app.db, 'doctor', (q) =>
    sql<{ last: string }>`select coalesce(max(id), 0) as last from svc_entity_alarm`.execute(q),
  );
  const last = Number(rows[0]?.last);
  const watched = Array.from({ length: uris }, (_, n) => `svc://alarm/${last + n + 1}`);
  const streams: Listening[] = [];
  let token = '';
  for (let at = 0; at < uris; at += URIS_OF_STREAM) {
    if (streams.length % STREAMS_OF_PRINCIPAL === 0)
      token = await bearerFor(mine, { scope: 'svc:read' });
    streams.push(await listenTo(world.base, token, watched.slice(at, at + URIS_OF_STREAM)));
  }
  const honored = streams.reduce((sum, one) => sum + one.honored.length, 0);
  if (honored !== uris) throw new Error(`${honored} of ${uris} URIs are listened to`);
  const { tenantId } = theirs;
  for (let at = 0; at < uris; at += ALARMS_AT_ONCE)
    await inTenant(world.app.db, tenantId, async (q) => {
      for (let n = at; n < Math.min(uris, at + ALARMS_AT_ONCE); n += 1)
        await raise(q, {
          tenantId,
          target: 'DEVICE',
          entityId: '0',
          type: 'REPORT',
          source: 'SYSTEM',
          level: 1,
          message: 'Theirs',
          now: world.app.clock.now(),
        });
    });
  await sleep(QUIET_MS);
  const told = streams.reduce((sum, one) => sum + one.told.length, 0);
  const own = await listenTo(world.base, token, ['svc://alarm/active']);
  await happens(world, { tenantId: mine.tenantId });
  await eventually(
    async () => own.told.length,
    (count) => count > 0,
  );
  for (const stream of [...streams, own]) stream.close();
  return { uris, streams: streams.length, written: uris, told };
}
