import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Address, PreSharedKey } from '../../driver/dtls/contract.ts';
import { DtlsServer } from '../../driver/dtls/server.ts';
import { type ClientOptions, DtlsClient } from '../support/devices/dtls-client.ts';
import { TestClock } from '../support/world/clock.ts';

const identity = Buffer.from('meter');
const key = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');
const home: Address = { address: '192.0.2.1', port: 40_000 };
const abroad: Address = { address: '198.51.100.7', port: 50_000 };

let clock: TestClock;
let server: DtlsServer;
let sent: { datagram: Buffer; to: Address }[];
let received: { holder: string; text: string; id: string }[];
let ended: string[];
let keys: PreSharedKey[];

beforeEach(() => {
  clock = new TestClock(Date.parse('2026-01-05T08:00:00.000Z'));
  [sent, received, ended] = [[], [], []];
  keys = [{ key, holder: '7', mark: 'k' }];
  server = new DtlsServer({
    clock,
    send: (datagram, to) => sent.push({ datagram, to }),
    keys: (given) => (given.equals(identity) ? keys : []),
    received: ({ holder, id }, data) => received.push({ holder, id, text: data.toString() }),
    ended: ({ holder }) => ended.push(holder),
  });
});
afterEach(() => server.close());

/** What the server answered since the last call, in one. */
const answered = (): Buffer => Buffer.concat(sent.splice(0).map(({ datagram }) => datagram));

function begun(options: Partial<ClientOptions> = {}, from = home) {
  const client = new DtlsClient({ identity, key, ...options });
  server.receive(client.hello(), from);
  server.receive(client.hello(client.cookieIn(answered())), from);
  return { client, proof: client.proof(answered()) };
}

function open(options: Partial<ClientOptions> = {}, from = home): DtlsClient {
  const { client, proof } = begun(options, from);
  server.receive(Buffer.concat(proof), from);
  expect(client.isProven(answered())).toBe(true);
  return client;
}

function say(client: DtlsClient, text: string, from = home): void {
  server.receive(client.seal(Buffer.from(text)), from);
}

describe('a handshake', () => {
  it.each([
    ['with the extended master secret', {}],
    ['with the plain master secret', { hasExtendedMaster: false }],
    ['with connection ids', { cid: Buffer.from('c1d0', 'hex') }],
    ['with an empty connection id of the client', { cid: Buffer.alloc(0) }],
  ])('%s opens a session in both directions', (_name, options) => {
    const client = open(options);
    say(client, 'hello');
    expect(received.map(({ holder, text }) => [holder, text])).toEqual([['7', 'hello']]);
    expect(server.send(received[0]?.id ?? '', Buffer.from('answer'))).toBe(true);
    expect(client.open(answered())?.data.toString()).toBe('answer');
    expect(client.serverCid?.length).toBe('cid' in options ? 6 : undefined);
  });

  it('keeps nothing of a client before it returned its cookie', () => {
    for (let each = 0; each < 1_000; each += 1)
      server.receive(new DtlsClient({ identity, key }).hello(), { ...home, port: each + 1 });
    expect(server.size).toEqual({ sessions: 0, halfOpen: 0 });
    expect(server.counters.cookies).toBe(1_000);
  });

  it('answers an address that is not proven with less than it got', () => {
    const hello = new DtlsClient({ identity, key }).hello();
    server.receive(hello, home);
    expect(answered().length).toBeLessThanOrEqual(hello.length);
  });

  it.each([
    ['another address', () => abroad, 0],
    ['two minutes later', () => home, 120_001],
  ])('takes no cookie from %s', async (_name, from, ms) => {
    const client = new DtlsClient({ identity, key });
    server.receive(client.hello(), home);
    const cookie = client.cookieIn(answered());
    await clock.advance(ms);
    server.receive(client.hello(cookie), from());
    expect(server.counters).toMatchObject({ wrongCookies: 1, cookies: 2 });
    expect(server.size.halfOpen).toBe(0);
    // The cookie that it is asked for instead ends in a session (RFC 6347 4.2.1).
    server.receive(client.hello(client.cookieIn(answered())), from());
    server.receive(Buffer.concat(client.proof(answered())), from());
    expect(client.isProven(answered())).toBe(true);
  });

  it.each([
    ['a wrong key', { key: Buffer.alloc(16, 1) }],
    ['an unknown identity', { identity: Buffer.from('stranger') }],
  ])('with %s gets no answer, and is over after its time', async (_name, options) => {
    const { proof } = begun(options);
    server.receive(Buffer.concat(proof), home);
    expect(answered()).toHaveLength(0);
    await clock.advance(200_000);
    expect(server.counters).toMatchObject({ handshakes: 0, unproven: 1 });
    expect(server.size).toEqual({ sessions: 0, halfOpen: 0 });
  });

  it('tells the holder of a key by the key where several have the identity', () => {
    const other = Buffer.alloc(16, 9);
    keys = [
      { key: other, holder: '8', mark: 'l' },
      { key, holder: '7', mark: 'k' },
    ];
    say(open(), 'one');
    say(open({ key: other }, abroad), 'two', abroad);
    expect(received.map(({ holder }) => holder)).toEqual(['7', '8']);
  });

  it('without a common suite ends with an alert', () => {
    const client = new DtlsClient({ identity, key, suites: [0x00_a9] });
    server.receive(client.hello(), home);
    server.receive(client.hello(client.cookieIn(answered())), home);
    expect([...answered().subarray(13)]).toEqual([2, 40]);
    expect(server.size.halfOpen).toBe(0);
  });

  it('is finished whatever the order of the records, each once or twice', () => {
    const { client, proof } = begun();
    for (const record of [...proof.toReversed(), ...proof]) server.receive(record, home);
    expect(client.isProven(answered())).toBe(true);
    expect(server.counters.handshakes).toBe(1);
  });

  it('is not finished without the change of the cipher', () => {
    const [exchange, , finished] = begun().proof;
    for (const record of [exchange, finished]) if (record) server.receive(record, home);
    expect(server.size).toEqual({ sessions: 0, halfOpen: 1 });
  });

  it('sends its flight again until it is answered, six times in all', async () => {
    begun();
    await clock.advance(200_000);
    expect(server.counters.retransmissions).toBe(5);
    expect(server.size.halfOpen).toBe(0);
  });

  it('sends its last flight again for a client that missed it', () => {
    const { client, proof } = begun();
    server.receive(Buffer.concat(proof), home);
    answered();
    // The proof once more, as a new record.
    const again = client.seal(Buffer.concat([Buffer.of(20), Buffer.alloc(11)]), 22);
    server.receive(again, home);
    expect(answered().length).toBeGreaterThan(0);
    say(client, 'hello');
    server.receive(client.seal(Buffer.alloc(12), 22), home);
    expect(answered()).toHaveLength(0);
  });

  it('has a bound for each host', () => {
    for (let each = 0; each < 300; each += 1) begun({}, { ...home, port: 1_000 + each });
    expect(server.size.halfOpen).toBe(256);
    expect(server.counters.limited).toBe(44);
    open({}, abroad);
  });
});

describe('a session', () => {
  it('takes each record once', () => {
    const client = open();
    const record = client.seal(Buffer.from('pay'));
    server.receive(record, home);
    server.receive(record, home);
    expect(received).toHaveLength(1);
    expect(server.counters.replayed).toBe(1);
  });

  it('takes records out of order within 64, and none behind', () => {
    const client = open();
    const records = Array.from({ length: 70 }, (_, index) => client.seal(Buffer.from(`${index}`)));
    for (const record of records.toReversed()) server.receive(record, home);
    expect(received.map(({ text }) => Number(text))).toEqual(
      Array.from({ length: 64 }, (_, index) => 69 - index),
    );
    expect(server.counters.replayed).toBe(6);
  });

  it('drops what is forged, and goes on', () => {
    const client = open();
    const record = client.seal(Buffer.from('good'));
    for (let at = 13; at < record.length; at += 1) {
      const forged = Buffer.from(record);
      forged[at] = (forged[at] ?? 0) ^ 1;
      server.receive(forged, home);
    }
    expect(received).toEqual([]);
    server.receive(record, home);
    expect(received).toHaveLength(1);
    expect(server.counters.forged).toBe(record.length - 13);
  });

  it('with connection ids goes on from another address, without a new handshake', () => {
    const client = open({ cid: Buffer.from('ab', 'hex') });
    say(client, 'home');
    const late = client.seal(Buffer.from('late'));
    say(client, 'abroad', abroad);
    expect(server.send(received[0]?.id ?? '', Buffer.from('answer'))).toBe(true);
    expect(sent.at(-1)?.to).toEqual(abroad);
    // An older record, delayed or replayed from elsewhere, does not move it back.
    server.receive(late, home);
    server.send(received[0]?.id ?? '', Buffer.from('answer'));
    expect(sent.at(-1)?.to).toEqual(abroad);
    expect(received.map(({ text }) => text)).toEqual(['home', 'abroad', 'late']);
  });

  it('without connection ids stays at its address', () => {
    const client = open();
    say(client, 'abroad', abroad);
    expect(received).toEqual([]);
    expect(server.counters.unknown).toBe(1);
  });

  it('ends with the farewell of its client, which cannot be said without its keys', () => {
    const client = open();
    server.receive(new DtlsClient({ identity, key }).farewell(), home);
    say(client, 'still here');
    expect(received).toHaveLength(1);
    server.receive(client.farewell(), home);
    expect(ended).toEqual(['7']);
    expect(server.size.sessions).toBe(0);
  });

  it('stays until a new one from its address is proven', () => {
    const client = open();
    const { proof } = begun();
    say(client, 'former');
    expect(received.at(-1)?.text).toBe('former');
    server.receive(Buffer.concat(proof), home);
    expect([ended, server.size.sessions]).toEqual([['7'], 1]);
    say(client, 'too late');
    expect(received).toHaveLength(1);
  });

  it('ends when the key of its holder changes', () => {
    const client = open();
    server.endOf('7');
    say(client, 'hello');
    expect([received, ended, server.size.sessions]).toEqual([[], ['7'], 0]);
  });
});
