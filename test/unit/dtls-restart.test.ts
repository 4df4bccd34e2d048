import { beforeEach, describe, expect, it } from 'vitest';

import type { Address, PreSharedKey } from '../../driver/dtls/contract.ts';
import { RESERVE, type Saveable, type SavedSession } from '../../driver/dtls/saved-session.ts';
import { DtlsServer } from '../../driver/dtls/server.ts';
import { DtlsClient } from '../support/devices/dtls-client.ts';
import { TestClock } from '../support/world/clock.ts';

const identity = Buffer.from('meter');
const psk: PreSharedKey = { key: Buffer.alloc(16, 7), holder: '7', mark: 'k' };
const home: Address = { address: '192.0.2.1', port: 40_000 };

let clock: TestClock;
let sent: Buffer[];
let received: string[];
/** What is on disk, and what is to be. */
let disk: Map<string, SavedSession>;
let pending: Map<string, Saveable>;
beforeEach(() => {
  clock = new TestClock(Date.parse('2026-01-05T08:00:00.000Z'));
  [sent, received] = [[], []];
  [disk, pending] = [new Map(), new Map()];
});

function serverWith(keys: readonly PreSharedKey[] = [psk]): DtlsServer {
  return new DtlsServer({
    clock,
    send: (datagram) => sent.push(datagram),
    keys: (given) => (given.equals(identity) ? keys : []),
    received: (_session, data) => received.push(data.toString()),
    ended() {},
    keeper: {
      put: (id, session) => pending.set(id, session),
      remove(id) {
        pending.delete(id);
        disk.delete(id);
      },
    },
  });
}

function save(): void {
  for (const [id, session] of pending) {
    disk.set(id, session.saved());
    session.isKept();
  }
  pending.clear();
}

/** Another process, as the store gives it what was on disk. */
function restarted(keys: readonly PreSharedKey[] = [psk]): { server: DtlsServer; isBack: boolean } {
  const [saved] = disk.values();
  if (!saved) throw new Error('nothing is saved');
  disk.set(saved.id, { ...saved, sequence: saved.sequence + RESERVE });
  const server = serverWith(keys);
  return { server, isBack: server.restore(saved, keys) };
}

const answered = (): Buffer => Buffer.concat(sent.splice(0));
const sequenceIn = (record: Buffer): number => record.readUIntBE(5, 6);
const idIn = (): string => [...disk.keys()][0] ?? '';

function open(server: DtlsServer, cid?: Buffer): DtlsClient {
  const client = new DtlsClient({ identity, key: psk.key, ...(cid && { cid }) });
  server.receive(client.hello(), home);
  server.receive(client.hello(client.cookieIn(answered())), home);
  server.receive(Buffer.concat(client.proof(answered())), home);
  expect(client.isProven(answered())).toBe(true);
  return client;
}

describe('a session over a restart', () => {
  it.each([
    ['without connection ids', undefined],
    ['with connection ids', Buffer.from('c1d0', 'hex')],
  ])('%s goes on in both directions, without a handshake', (_name, cid) => {
    const first = serverWith();
    const client = open(first, cid);
    first.receive(client.seal(Buffer.from('before')), home);
    save();
    first.close();
    // No farewell: the client is to go on.
    expect(answered().length).toBe(0);
    const { server, isBack } = restarted();
    expect(isBack).toBe(true);
    server.receive(client.seal(Buffer.from('after')), home);
    expect(received).toEqual(['before', 'after']);
    expect(server.send(idIn(), Buffer.from('answer'))).toBe(true);
    expect(client.open(answered())?.data.toString()).toBe('answer');
    expect(server.counters.handshakes).toBe(0);
  });

  it('takes no record again that it took before', () => {
    const first = serverWith();
    const client = open(first);
    const record = client.seal(Buffer.from('once'));
    first.receive(record, home);
    save();
    const { server } = restarted();
    server.receive(record, home);
    expect([received, server.counters.replayed]).toEqual([['once'], 1]);
  });

  it('uses no sequence number again, also after restarts that saved nothing', () => {
    const first = serverWith();
    open(first);
    save();
    const used = new Set<number>();
    const use = (server: DtlsServer): void => {
      for (let each = 0; each < 5; each += 1) server.send(idIn(), Buffer.from('x'));
      for (const record of sent.splice(0)) {
        expect(used.has(sequenceIn(record))).toBe(false);
        used.add(sequenceIn(record));
      }
    };
    use(first);
    for (let each = 0; each < 3; each += 1) use(restarted().server);
    expect(used.size).toBe(20);
  });

  it('sends nothing with numbers that are not reserved on disk', () => {
    const server = serverWith();
    open(server);
    save();
    const say = (times: number): void => {
      for (let each = 0; each < times; each += 1) server.send(idIn(), Buffer.from('x'));
    };
    say(100);
    expect(sent.splice(0).length).toBe(RESERVE);
    expect(pending.size).toBe(1);
    save();
    // More of them for a session that sends much.
    say(1_000);
    expect(sent.length).toBe(4 * RESERVE);
    expect(server.send(idIn(), Buffer.from('x'))).toBe(false);
  });

  it.each([
    ['another key', [{ ...psk, key: Buffer.alloc(16, 8) }]],
    ['the key of another device', [{ ...psk, holder: '8' }]],
    ['no key', []],
  ])('ends with %s', (_name, keys) => {
    const first = serverWith();
    const client = open(first);
    save();
    const { server, isBack } = restarted(keys);
    server.receive(client.seal(Buffer.from('after')), home);
    expect([isBack, received, disk.size]).toEqual([false, [], 0]);
    expect(server.size.sessions).toBe(0);
  });

  it('has the mark that its key has by now', () => {
    const first = serverWith();
    open(first);
    save();
    const { server } = restarted([
      { ...psk, key: Buffer.alloc(16, 8) },
      { ...psk, mark: 'n' },
    ]);
    expect(server.session(idIn())?.mark).toBe('n');
  });

  it('has no key in what is saved', () => {
    open(serverWith());
    save();
    const text = JSON.stringify([...disk.values()]);
    expect(text).not.toContain(psk.key.toString('base64'));
    expect(Object.keys([...disk.values()][0] ?? {}).toSorted()).toEqual([
      'address',
      'holder',
      'id',
      'newest',
      'secret',
      'sequence',
    ]);
  });
});

describe('the sessions of one holder', () => {
  it('are four at most: the one that is silent for longest goes', async () => {
    const server = serverWith();
    const clients: DtlsClient[] = [];
    for (let each = 0; each < 6; each += 1) {
      await clock.advance(1_000);
      const from = { ...home, port: home.port + each };
      const client = new DtlsClient({ identity, key: psk.key });
      server.receive(client.hello(), from);
      server.receive(client.hello(client.cookieIn(answered())), from);
      server.receive(Buffer.concat(client.proof(answered())), from);
      answered();
      clients.push(client);
      // The first one goes on.
      await clock.advance(1_000);
      server.receive(clients[0]?.seal(Buffer.from(`${each}`)) ?? Buffer.alloc(0), home);
    }
    expect(server.size.sessions).toBe(4);
    expect(received).toEqual(['0', '1', '2', '3', '4', '5']);
  });
});
