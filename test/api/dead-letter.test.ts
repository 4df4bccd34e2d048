import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { startWorld, type World } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared } from '../support/world/prepared.ts';
import { ImpatientClock } from '../support/world/shifted-clock.ts';

const DEAD = '/api/v3/data/dead_letter';
const Page = z.object({
  total: z.number(),
  letters: z.array(z.looseObject({ id: z.string(), reason: z.string(), messageId: z.string() })),
});

/** Its consumer fails for a while, and not because of what it says. */
describe('a message that no consumer could take', () => {
  let world: World;
  const seen: string[] = [];
  let fails = true;
  const listen = () =>
    world.app.bus.subscribe(
      'svc.e.alarm',
      { queue: 'svc.q.own', key: '#' },
      async ({ message }) => {
        if (fails) throw new Error('a defect');
        seen.push(message);
      },
    );
  const report = (message: string) =>
    world.app.bus.publish(
      'svc.e.alarm',
      {
        tenantId: world.admin.tenantId,
        target: 'DEVICE',
        entityId: '999999',
        type: 'FAULT',
        source: 'DEVICE_REPORT',
        message,
        occurTime: 0,
      },
      { key: '1', messageId: message },
    );
  /** The longest wait between two attempts is half a second. */
  const start = () => startWorld({ database, clock: new ImpatientClock(5_000, 10) });
  const list = async () => Page.parse(await world.admin.data(`${DEAD}/list`, {}));

  const database = prepared(() => freshDatabase());
  beforeAll(async () => {
    world = await start();
    await listen();
  });
  afterAll(() => world?.stop());

  it('is kept, over a restart too, and shown to the platform tenant only', async () => {
    await report('first');
    await report('second');
    const kept = await eventually(list, ({ total }) => total === 2);
    expect(kept.letters).toMatchObject([
      { messageId: 'first', topic: 'svc.e.alarm', reason: 'rejected' },
      { messageId: 'second' },
    ]);
    expect(JSON.stringify(kept)).not.toContain('entityId');
    const other = await world.tenant('others');
    for (const what of ['list', 'replay', 'drop'])
      expect((await other.post(`${DEAD}/${what}`, { all: true })).status).toBeGreaterThanOrEqual(
        400,
      );
    await world.halt();
    world = await start();
    expect((await list()).total).toBe(2);
  });

  it('is handed to its own queue again by a replay, once', async () => {
    fails = false;
    await listen();
    const [first] = (await list()).letters;
    expect(await world.admin.data(`${DEAD}/replay`, { ids: [first?.id] })).toBe(1);
    await eventually(list, ({ total }) => total === 1);
    expect(seen).toEqual(['first']);
    expect((await world.admin.post(`${DEAD}/replay`, {})).status).toBe(400);
    expect(await world.admin.data(`${DEAD}/replay`, { all: true })).toBe(1);
    await eventually(list, ({ total }) => total === 0);
    expect(seen).toEqual(['first', 'second']);
  });

  it('is named as degraded until it is gone', async () => {
    const readiness = async (): Promise<unknown> => (await fetch(`${world.base}/readyz`)).json();
    expect(await readiness()).toMatchObject({ status: 'ready', degraded: [] });
    fails = true;
    await report('fourth');
    await eventually(list, ({ total }) => total === 1);
    expect(await readiness()).toMatchObject({
      status: 'ready',
      degraded: ['message bus: 1 dead letter waits for an operator (svc dead list)'],
    });
    await world.admin.data(`${DEAD}/drop`, { all: true });
    expect(await readiness()).toMatchObject({ degraded: [] });
  });

  it('is gone when it is dropped', async () => {
    fails = true;
    await report('third');
    await eventually(list, ({ total }) => total === 1);
    expect(await world.admin.data(`${DEAD}/drop`, { all: true })).toBe(1);
    expect((await list()).total).toBe(0);
    expect(seen).not.toContain('third');
  });
});
