import { setTimeout as sleep } from 'node:timers/promises';

import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

import { inTenant } from '../../src/db/tenant.ts';
import { Unavailable } from '../../src/kernel/errors.ts';
import { onboard } from '../support/devices/plant.ts';
import { say, startModel } from '../support/neighbours/model.ts';
import { chat, chatAnswer, chatFrames, question } from '../support/people/chat.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { withServer } from '../support/world/template.ts';

/** Longer than the waits between the attempts that count (200 ms, 1 s and 5 s). */
const OUTAGE_MS = 8_000;
const FIRST = 1_700_000_000_000;
const VALUES = 5;

/** A primary that was demoted, or a standby that is not promoted yet (SQLSTATE 25006). */
describe('a database that is read-only for a while', () => {
  const model = started(() => startModel(() => say('All is well.')));
  const world = started(() =>
    startWorld({
      environment: {
        AGENTIC_FALLBACK_OPENAI_BASE_URL: model.baseUrl,
        AGENTIC_FALLBACK_OPENAI_API_KEY: 'fallback-key',
        SVC_EGRESS_ALLOW: new URL(model.baseUrl).host,
      },
    }),
  );
  const plant = prepared(() => onboard(world.admin));

  async function readOnly(state: 'on' | 'off'): Promise<void> {
    const { queries } = world.app.db;
    const url = world.environment['DATABASE_URL'];
    if (url === undefined)
      // The one session there is.
      return void (await sql.raw(`set default_transaction_read_only = ${state}`).execute(queries));
    const name = new URL(url).pathname.slice(1);
    await withServer(url, async (client) => {
      await client.query('set default_transaction_read_only = off');
      await client.query(`alter database ${name} set default_transaction_read_only = ${state}`);
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = '${name}' and pid <> pg_backend_pid()`);
    });
  }

  const publish = (seq: number): Promise<void> =>
    world.bus.publish(
      'svc.e.value',
      {
        tenantId: world.admin.tenantId,
        driverId: plant.driverId,
        driverCode: 'VirtualDriver',
        node: 'writer',
        values: [
          {
            deviceId: plant.deviceId,
            pointId: plant.temperature,
            rawValue: '7',
            calValue: '7',
            numValue: 7,
            originTime: FIRST + seq,
            seq,
            quality: 0,
          },
        ],
      },
      { key: 'VirtualDriver' },
    );
  /** Null while a connection of the pool is used whose end it has not noticed yet. */
  const stored = () =>
    inTenant(world.app.db, world.admin.tenantId, async (q) => {
      const { rows } = await sql<{ count: string }>`
        select count(*) as count from svc_point_value
        where tenant_id = ${world.admin.tenantId} and create_time < '2024-01-01'`.execute(q);
      return Number(rows[0]?.count);
    }).catch((error: unknown) => {
      if (error instanceof Unavailable) return null;
      throw error;
    });
  const ready = () => fetch(`${world.base}/readyz`).then(({ status }) => status);

  it('loses no value, answers 503, is not ready, and goes on by itself', async () => {
    const { admin } = world;
    await readOnly('on');
    await eventually(ready, (status) => status === 503);
    const published = Array.from({ length: VALUES }, (_, seq) => publish(seq));
    const change = () => admin.post('/api/v3/manager/profile/add', { profileName: 'not now' });
    const { status, body } = await change();
    expect([status, body.code]).toEqual([503, 'R503']);
    // No model is asked a question that is not stored; a stream has begun by then.
    expect((await chatAnswer(admin, question('hello', { store: true }))).status).toBe(503);
    const streamed = await chatFrames(admin, 'hello', { store: true });
    expect(streamed.status).toBe(200);
    expect(streamed.data.slice(1)).toEqual([expect.stringContaining('server_error'), '[DONE]']);
    expect(model.requests).toEqual([]);
    await sleep(OUTAGE_MS);
    expect((await change()).status).toBe(503);
    await readOnly('off');
    await Promise.all(published);
    expect(await eventually(stored, (count) => count === VALUES)).toBe(VALUES);
    expect(await eventually(ready, (now) => now === 200)).toBe(200);
    expect((await change()).status).toBe(200);
    expect((await chat(admin, 'hello')).text).toBe('All is well.');
  });
});
