import { expect, it, onTestFinished } from 'vitest';

import {
  addPeople,
  attack,
  causesOf,
  everybodyLogsIn,
  tryCauses,
} from '../support/runs/login-siege.ts';
import { startWorld } from '../support/world/app.ts';
import { testEnvironment } from '../support/world/environment.ts';

/** A part of what `npm run prove -- login` does; that measures, this does not. */
const ATTACKS = 150;
const TRIES = 4;

it('refuses no person while one address floods logins, salts and registrations', async () => {
  const world = await startWorld();
  onTestFinished(() => world.stop());
  const people = await addPeople(world.admin);
  const [statuses, logins] = await Promise.all([
    attack(world.base, { count: ATTACKS, ms: 0 }),
    everybodyLogsIn(world.base, people, { times: 2, ms: 0 }),
  ]);
  expect(logins.flat().filter(({ refused }) => refused)).toEqual([]);
  expect([...statuses.keys()].filter((status) => ![201, 401, 429].includes(status))).toEqual([]);
  expect(statuses.get(429)).toBeGreaterThan(0);
});

it('answers each cause of a failed login alike, from wherever it is tried', async () => {
  const world = await startWorld();
  onTestFinished(() => world.stop());
  const causes = await causesOf(world.base, world.admin, testEnvironment.SVC_ADMIN_PASSWORD);
  const replies = [...(await tryCauses(world.base, causes, TRIES)).values()];
  expect(replies.map((each) => each.length)).toEqual(causes.map(() => TRIES));
  const answers = new Set(replies.flat().map(({ status, text }) => `${status} ${text}`));
  expect([...answers]).toEqual([
    '401 {"ok":false,"code":"R401","message":"Tenant, login or password is wrong"}',
  ]);
});
