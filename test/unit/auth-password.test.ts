import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { whyGuessable } from '../../src/auth/credential/guessable.ts';
import {
  hashPassword,
  hashSeededPassword,
  needsRehash,
  verifyPassword,
} from '../../src/auth/credential/password.ts';

describe('password hashes', () => {
  it('are Argon2id with 19 MiB, two passes and one lane, each with its own salt', async () => {
    const [one, two] = [await hashPassword('a secret'), await hashPassword('a secret')];
    expect(one.passwordAlgorithm).toBe('ARGON2ID');
    expect(one.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,(t=2,p=1|p=1,t=2)\$/);
    expect(one.passwordHash).not.toBe(two.passwordHash);
    expect(await verifyPassword('a secret', one.passwordHash)).toBe(true);
    expect(await verifyPassword('A secret', one.passwordHash)).toBe(false);
    expect(await needsRehash(one.passwordHash)).toBe(false);
  });

  it('are BCRYPT of cost 12 when seeded, to be replaced', async () => {
    const { passwordHash, passwordAlgorithm } = await hashSeededPassword('a secret');
    expect(passwordAlgorithm).toBe('BCRYPT');
    expect(passwordHash).toMatch(/^\$2b\$12\$/);
    expect(await verifyPassword('a secret', passwordHash)).toBe(true);
    expect(await verifyPassword('another', passwordHash)).toBe(false);
    expect(await needsRehash(passwordHash)).toBe(true);
  });

  it('tell passwords apart beyond the 72 bytes bcrypt looks at', async () => {
    const long = 'x'.repeat(72);
    const { passwordAlgorithm } = await hashSeededPassword(`${long}y`);
    expect(passwordAlgorithm).toBe('ARGON2ID');
    const { passwordHash } = await hashSeededPassword(long);
    expect(await verifyPassword(long, passwordHash)).toBe(true);
    expect(await verifyPassword(`${long}y`, passwordHash)).toBe(false);
  });

  it('verify hashes of the other platform by what the hash itself says', async () => {
    // bcrypt test vector of the Openwall crypt_blowfish suite.
    const vector = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
    expect(await verifyPassword('U*U', vector)).toBe(true);
    expect(await verifyPassword('U*V', vector)).toBe(false);
  });

  it('never match without a hash, with an unknown one or for endless input', async () => {
    for (const hash of [null, '', 'plain', '$1$abc$def', '{noop}x']) {
      expect(await verifyPassword('x', hash)).toBe(false);
    }
    const { passwordHash } = await hashPassword('x');
    expect(await verifyPassword('x'.repeat(1_025), passwordHash)).toBe(false);
  });

  it('leave the event loop free', async () => {
    const hashing = Promise.all([hashSeededPassword('a secret'), hashPassword('a secret')]);
    let turns = 0;
    const state = { isDone: false };
    void hashing.finally(() => {
      state.isDone = true;
    });
    while (!state.isDone) {
      turns += 1;
      await nextTurn();
    }
    await hashing;
    expect(turns).toBeGreaterThan(100);
  });

  it('are refused beyond a bounded queue, and work again afterwards', async () => {
    const all = await Promise.allSettled(Array.from({ length: 120 }, () => hashPassword('x')));
    const refused = all.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(60);
    for (const outcome of refused) expect(outcome).toMatchObject({ reason: { status: 429 } });
    expect((await hashPassword('x')).passwordAlgorithm).toBe('ARGON2ID');
  });
});

describe('a new password', () => {
  const names = ['anna.weber', 'plant-north'];

  it.each([
    ['        ', 'is blank'],
    ['aaaaaaaa', 'repeats few'],
    ['abcabcabcabc', 'repeats few'],
    ['Xy7!Xy7!Xy7!', 'repeats few'],
    ['qwertzuiop1', 'is a run'],
    ['asdfghjkl99', 'is a run'],
    ['1qaz2wsx3edc', 'is among'],
    ['fedcba987654', 'is a run'],
    ['12345678!', 'is a run'],
    ['password', 'is among'],
    ['Password123!', 'is a common word'],
    ['P@ssw0rd2026!', 'is a common word'],
    ['Summer2026', 'is a common word'],
    ['$ummer2026', 'is a common word'],
    ['@dmin-2026', 'is a common word'],
    ['4dm1n-2026!', 'is a common word'],
    ['p@$$word', 'is a common word'],
    ['P@$$w0rd#1345', 'is a common word'],
    ['!nstall2026', 'is a common word'],
    ['$ervice_!nstall', 'is a common word'],
    ['1loveyou-99', 'is a common word'],
    ['0perator#55', 'is a common word'],
    ['$h4d0w--2026', 'is a common word'],
    ['5y5t3m-1345', 'is a common word'],
    ['7est-7est-99', 'is a common word'],
    ['99-$ecre7-1345', 'is a common word'],
    ['prince$$1345!', 'is a common word'],
    ['hell0-1345', 'is a common word'],
    ['Gue$7!2026', 'is a common word'],
    ['we1c0me#2026', 'is a common word'],
    ['f00tba1!2026', 'is a common word'],
    ['4nna.w3ber-26', 'is made of the name'],
    ['p1@nt-n0rth-26', 'is made of the name'],
    ['adminWelcome7', 'is a common word'],
    ['Administrator-2026', 'is a common word'],
    ['svc-dc3-2026', 'is a common word'],
    ['anna.weber1', 'is made of the name'],
    ['AnnaWeber2026!', 'is made of the name'],
    ['plant-north-7', 'is made of the name'],
    ['Plantnorth!2026', 'is made of the name'],
  ])('is refused as %j, which %s', (password, why) => {
    expect(whyGuessable(password, names)).toContain(why);
  });

  it.each([
    'correct horse 42',
    'Valve-87-copper',
    'Steam-41-kettle',
    'a password of my own',
    'anna-sails-7-knots-north',
    'Tz7qLw9k',
    'xK4!pd9Q',
    '7357-8264-1093!',
    '82$vc-6%9+4Rx',
    '$un-rise-over-the-bay',
    '4 cups of @ssam!',
    '@t-7-we-eat-fish',
    '\u65b0\u3057\u3044\u5f01\u306e\u6697\u53f7\u4e03\u3064',
    'zwölf Boxkämpfer jagen',
  ])('is taken as %j', (password) => {
    expect(whyGuessable(password, names)).toBeNull();
  });

  it('is taken where it is made at random', () => {
    for (let made = 0; made < 2_000; made += 1) {
      const password = randomBytes(12).toString('base64url');
      expect(whyGuessable(password, names), password).toBeNull();
    }
  });
});
