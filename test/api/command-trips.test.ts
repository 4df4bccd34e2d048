import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { read, write } from '../../src/data/write/point-command.ts';
import { playDriver } from '../support/devices/played-driver.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard } from '../tools/agent.ts';

/** Of the work that runs in it, and of nothing beside it. */
const counted = new AsyncLocalStorage<{ trips: number }>();
const note = (): void => {
  const work = counted.getStore();
  if (work) work.trips += 1;
};
async function tripsOf(work: () => Promise<unknown>): Promise<number> {
  const count = { trips: 0 };
  await counted.run(count, work);
  return count.trips;
}

const world = startedWorld();
const caller = prepared(() => agentIn(world.admin));
const site = prepared(() => onboard(world.admin, 'counted'));
beforeAll(async () => {
  await playDriver(world, world.admin, site);
  subscribe('svc:trip', note);
});
afterAll(async () => {
  unsubscribe('svc:trip', note);
});

it.each([
  ['a read', () => read(world.app, caller, site)],
  ['a write', () => write(world.app, caller, { ...site, value: '21' })],
  [
    'a write with a name',
    () => write(world.app, caller, { ...site, value: '21', commandId: randomUUID() }),
  ],
])('%s is issued in two trips: one checks it, one stores it as sent', async (_what, issue) => {
  expect(await tripsOf(issue)).toBe(2);
});
