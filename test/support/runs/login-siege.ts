import { setTimeout as sleep } from 'node:timers/promises';

import { createRandom } from '../hostile/random.ts';
import { addLogin, addPerson, PASSWORD } from '../people/accounts.ts';
import { postFrom, type Reply } from '../people/from-address.ts';
import { login, type Session } from '../people/session.ts';

const TOKEN = '/api/v3/auth/token';
const ATTACKER = '127.0.0.66';
const PEOPLE = 20;
const MAX_ATTACKS_UNDER_WAY = 50;
const SEED = 20_261_122;
const PAUSE_MS = 20;

type Person = { name: string; address: string };
type Login = { refused: boolean; ms: number };

/** People with a login of their own, each at an address of their own. */
export async function addPeople(admin: Session): Promise<Person[]> {
  const people: Person[] = [];
  for (let n = 0; n < PEOPLE; n += 1) {
    const person = await addPerson(admin);
    await addLogin(admin, person);
    people.push({ name: person.name, address: `127.0.1.${n + 1}` });
  }
  return people;
}

/** Salt, then token, from the address of the person. */
async function logIn(base: string, { name, address }: Person): Promise<Login> {
  const mine = { tenant: 'default', name };
  const salt = await postFrom(base, address, `${TOKEN}/salt`, mine);
  const token = await postFrom(base, address, `${TOKEN}/generate`, {
    ...mine,
    salt: 'a-salt',
    password: PASSWORD,
  });
  return { refused: salt.status !== 200 || token.status !== 200, ms: salt.ms + token.ms };
}

/** Every person logs in `times` times, spread over `ms`. */
export async function everybodyLogsIn(
  base: string,
  people: readonly Person[],
  { times, ms }: { times: number; ms: number },
): Promise<Login[][]> {
  return Promise.all(
    people.map(async (person, index) => {
      const logins: Login[] = [];
      const every = ms / times;
      await sleep((every * index) / people.length);
      for (let n = 0; n < times; n += 1) {
        const began = performance.now();
        logins.push(await logIn(base, person));
        if (n + 1 < times) await sleep(Math.max(0, every - (performance.now() - began)));
      }
      return logins;
    }),
  );
}

/** Wrong logins, salts of unknown tenants and registrations from one address, spread over `ms`; answers by status. */
export async function attack(
  base: string,
  { count, ms }: { count: number; ms: number },
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const underWay = new Set<Promise<void>>();
  const began = performance.now();
  for (let n = 0; n < count; n += 1) {
    const wait = began + (ms * n) / count - performance.now();
    if (wait > 1) await sleep(wait);
    while (underWay.size >= MAX_ATTACKS_UNDER_WAY) await Promise.race(underWay);
    const one: Promise<void> = strike(base, n)
      .then(({ status }) => void statuses.set(status, (statuses.get(status) ?? 0) + 1))
      .finally(() => underWay.delete(one));
    underWay.add(one);
  }
  await Promise.all(underWay);
  return statuses;
}

function strike(base: string, n: number): Promise<Reply> {
  if (n % 3 === 0)
    return postFrom(base, ATTACKER, `${TOKEN}/generate`, {
      tenant: 'default',
      name: n % 2 === 0 ? 'admin' : `guess-${n}`,
      salt: 'a-salt',
      password: 'wrong',
    });
  if (n % 3 === 1)
    return postFrom(base, ATTACKER, `${TOKEN}/salt`, { tenant: `guess-${n}`, name: 'admin' });
  return postFrom(base, ATTACKER, '/oauth2/register', {
    redirect_uris: ['http://127.0.0.1:9/callback'],
  });
}

export type Cause = { name: string; body: object };

/** The five causes of a failed login, and the last of them once more to show how far one differs from itself. */
export async function causesOf(base: string, admin: Session, password: string): Promise<Cause[]> {
  const { name } = await addPerson(admin);
  const member = await addPerson(admin);
  await addLogin(admin, member);
  await admin.data('/api/v3/auth/tenant/add', { tenantName: 'Siege', tenantCode: 'siege' });
  const head = await login(base, 'siege', 'admin', password);
  const stranger = await addPerson(head);
  await addLogin(head, stranger);
  const wrong = { tenant: 'default', name: member.name, salt: 'a-salt', password: 'wrong' };
  return [
    { name: 'unknown tenant', body: { ...wrong, tenant: 'nowhere' } },
    { name: 'unknown login', body: { ...wrong, name } },
    { name: 'not a member', body: { ...wrong, name: stranger.name } },
    { name: 'empty salt', body: { ...wrong, salt: '' } },
    { name: 'wrong password', body: wrong },
    { name: 'wrong password again', body: wrong },
  ];
}

/**
 * Tries each cause `tries` times, in a random order every time, each from an address of its own and after
 * what the one before left to do.
 */
export async function tryCauses(
  base: string,
  causes: readonly Cause[],
  tries: number,
): Promise<Map<string, Reply[]>> {
  const replies = new Map<string, Reply[]>(causes.map(({ name }) => [name, []]));
  const random = createRandom(SEED);
  let address = 0;
  for (let n = 0; n < tries; n += 1) {
    const left = [...causes];
    while (left.length > 0) {
      const [cause] = left.splice(random.upTo(left.length), 1);
      if (!cause) break;
      const { name, body } = cause;
      address += 1;
      await sleep(PAUSE_MS);
      const from = `127.1.${Math.floor(address / 250)}.${(address % 250) + 1}`;
      replies.get(name)?.push(await postFrom(base, from, `${TOKEN}/generate`, body));
    }
  }
  return replies;
}
