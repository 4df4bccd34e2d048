import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { inTenant } from '../../src/db/tenant.ts';
import { onboard, type Plant } from '../support/devices/plant.ts';
import { worker } from '../support/people/accounts.ts';
import type { Session } from '../support/people/session.ts';
import { uploadFile } from '../support/people/upload.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { ShiftedClock } from '../support/world/shifted-clock.ts';

const DAY_MS = 86_400_000;
/** Of 800 bytes each in a table: more than the system keeps for a client that reads nothing. */
const VALUES = 15_000;
/** All places of a principal. */
const SOCKETS = 16;
const LOOK_MS = 5_000;
const DRIP_MS = 500;
/** Half a minute of the machine's own time, and how late that is noticed. */
const ENDED_MS = 60_000;

/** What looks at connections every five seconds does it often; seconds pass when the test says so. */
class QuickClock extends ShiftedClock {
  override every(ms: number, run: () => Promise<void> | void): () => void {
    return super.every(ms === LOOK_MS ? 50 : ms, run);
  }
}

type Stalled = { socket: Socket; status: number };

/** Sends a request and waits for the status of its answer if that is there within `waitMs`; reads nothing more. */
async function stalled(base: string, text: string, waitMs?: number): Promise<Stalled> {
  const { hostname, port } = new URL(base);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  const first = once(socket, 'data').then(([part]) => {
    socket.pause();
    return Number(/^HTTP\/1\.1 (\d+)/.exec(String(part))?.[1] ?? 0);
  });
  const none = waitMs === undefined ? [] : [sleep(waitMs, 0)];
  return { socket, status: await Promise.race([first, ...none]) };
}

const headOf = (method: string, path: string, session: Session, more: Record<string, string>) => {
  const given = { host: new URL(session.base).host, ...session.headers, ...more };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
};

describe('places of downloads and uploads', () => {
  let world: World<QuickClock>;
  let mine: Session;
  let colleague: Session;
  let other: Session;
  let open: Socket[] = [];
  beforeAll(async () => {
    world = await startWorld({ clock: new QuickClock() });
    mine = world.admin;
    ({ session: colleague } = await worker(mine, [
      'svc-center-data:point_value:list',
      'svc-center-agentic:attachment:add',
    ]));
    other = await world.tenant('other');
  });
  afterAll(async () => {
    for (const socket of open) socket.destroy();
    await world?.stop();
  });

  const exportPath = ({ deviceId, temperature }: Plant): string =>
    `/api/v3/data/point_value/export?device_id=${deviceId}&point_id=${temperature}`;
  const exported = async (session: Session, plant: Plant): Promise<number> => {
    const answer = await fetch(`${session.base}${exportPath(plant)}`, { headers: session.headers });
    await answer.body?.cancel();
    return answer.status;
  };
  const openAll = async (text: string, waitMs?: number): Promise<number[]> => {
    const all = await Promise.all(
      Array.from({ length: SOCKETS }, () => stalled(world.base, text, waitMs)),
    );
    open = all.map(({ socket }) => socket);
    return all.map(({ status }) => status);
  };
  const filled = async (): Promise<Plant> => {
    const plant = await onboard(mine);
    const { deviceId, temperature, driverId } = plant;
    const { tenantId } = mine;
    const last = new Date(world.clock.now() - DAY_MS);
    await inTenant(world.app.db, tenantId, (q) =>
      sql`insert into svc_point_value (tenant_id, device_id, point_id, driver_id, create_time,
          raw_value, cal_value, num_value, receive_time)
        select ${tenantId}::bigint, ${deviceId}::bigint, ${temperature}::bigint,
          ${driverId}::bigint, at, repeat('x', 380), repeat('x', 380), null, at
        from (select ${last}::timestamptz - n * interval '1 second' as at
          from generate_series(1, ${VALUES}) n) times`.execute(q),
    );
    return plant;
  };

  it('of exports that a client does not read are its own alone, and end after 30 s', async () => {
    const plant = await filled();
    const theirs = await onboard(other);
    expect(new Set(await openAll(headOf('GET', exportPath(plant), mine, {})))).toEqual(
      new Set([200]),
    );
    expect(await exported(mine, plant)).toBe(429);
    expect(await exported(colleague, plant)).toBe(200);
    expect(await exported(other, theirs)).toBe(200);
    const moving = setInterval(() => world.clock.shift(1_000), 50);
    await eventually(
      () => exported(mine, plant),
      (status) => status === 200,
    );
    // Where one was ended the others follow, while seconds pass.
    await sleep(3_000);
    clearInterval(moving);
    const endings = await Promise.all(
      open.map(async (socket) => {
        let end = '';
        socket.on('data', (part) => {
          end = String(part).slice(-5);
        });
        const closed = once(socket, 'close');
        socket.resume();
        await closed;
        return end;
      }),
    );
    expect(endings.filter((end) => end === '0\r\n\r\n')).toEqual([]);
  }, 120_000);

  it('of uploads that go on for ever are its own alone, and end after 30 s', async () => {
    const path = '/api/v3/agentic/attachment/upload?conversation_id=long';
    const head = headOf('POST', path, mine, {
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': String(1024 * 1024),
    });
    await openAll(`${head}--`, 1_000);
    const dripping = setInterval(() => open.forEach((socket) => socket.write('b')), DRIP_MS);
    const ended = Promise.all(open.map((socket) => once(socket.resume(), 'close')));
    expect((await uploadFile(mine, 'mine', 'x')).status).toBe(429);
    expect((await uploadFile(colleague, 'ours', 'x')).status).toBe(200);
    expect((await uploadFile(other, 'theirs', 'x')).status).toBe(200);
    await Promise.race([
      ended,
      sleep(ENDED_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('open'))),
    ]);
    clearInterval(dripping);
    expect((await uploadFile(mine, 'mine', 'x')).status).toBe(200);
  }, 120_000);
});
