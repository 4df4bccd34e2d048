import { expect, it } from 'vitest';

import { checkLogin } from '../../../src/auth/login/checks.ts';
import { otherNode } from '../../support/world/other-node.ts';
import { startedWorld } from '../../support/world/prepared.ts';

const world = startedWorld();

/** docs/specification/login.md 4. */
it('the five checks run in the order of the specification: the first that fails decides', async () => {
  const stranger = await world.tenant('stranger');
  const login = String(stranger.headers['x-auth-login']);
  const seen: unknown[] = [];
  const log = { ...world.app.log, info: (facts: object) => void seen.push(facts) };
  const wrong = { tenant: 'nowhere', name: 'nobody', salt: '', password: 'wrong' };
  // Each repairs one more of the things that are wrong.
  const attempts = [
    wrong,
    { ...wrong, tenant: 'default' },
    { ...wrong, tenant: 'default', name: login },
    { ...wrong, tenant: 'default', name: 'admin' },
    { ...wrong, tenant: 'default', name: 'admin', salt: 'a-salt' },
  ];
  const client = { source: '127.0.0.1', isKnown: false };
  for (const attempt of attempts)
    expect(await checkLogin(otherNode(world.app, { log }), attempt, client)).toBeUndefined();
  expect(seen).toEqual([
    { tenant: 'nowhere', failed: 'tenant exists and is enabled' },
    { tenant: 'default', failed: 'credential is found' },
    { tenant: 'default', failed: 'principal is a member' },
    { tenant: 'default', failed: 'salt is not empty' },
    { tenant: 'default', failed: 'password verifies' },
  ]);
});
