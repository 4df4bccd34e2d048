import { describe, expect, it } from 'vitest';

import type { Address } from '../../driver/dtls/contract.ts';
import { DtlsServer } from '../../driver/dtls/server.ts';
import { DtlsClient } from '../support/devices/dtls-client.ts';
import { TestClock } from '../support/world/clock.ts';
import { seeded } from '../support/world/seeded.ts';

const ROUNDS = 400;
const MUTANTS = 50;
const identity = Buffer.from('meter');
const key = Buffer.alloc(16, 7);
const at = (port: number): Address => ({ address: '192.0.2.1', port });

/** Each step of true handshakes and sessions, among copies of it with changed, cut or added bytes. */
describe('20,000 mutated datagrams', () => {
  it.each([
    ['without connection ids', {}],
    ['with connection ids', { cid: Buffer.from('c1d0', 'hex') }],
  ])('%s leave the server in order', async (_name, options) => {
    const random = seeded(20_261_123);
    const upTo = (limit: number): number => Math.floor(random() * limit);
    const clock = new TestClock(Date.parse('2026-01-05T08:00:00.000Z'));
    const answers: Buffer[] = [];
    const received: string[] = [];
    let [bytesIn, bytesOut] = [0, 0];
    const server = new DtlsServer({
      clock,
      send(datagram) {
        answers.push(datagram);
        bytesOut += datagram.length;
      },
      keys: (given) => (given.equals(identity) ? [{ key, holder: '7', mark: 'k' }] : []),
      received: (_session, data) => received.push(data.toString()),
      ended() {},
    });
    const put = (datagram: Buffer, from: Address): void => {
      bytesIn += datagram.length;
      server.receive(datagram, from);
    };
    const mutant = (bytes: Buffer): Buffer => {
      const copy = Buffer.from(bytes);
      for (let changes = 1 + upTo(3); changes > 0; changes -= 1)
        copy[upTo(copy.length)] = upTo(256);
      if (random() < 0.2) return copy.subarray(0, upTo(copy.length));
      return random() < 0.1 ? Buffer.concat([copy, copy.subarray(upTo(copy.length))]) : copy;
    };
    const around = (bytes: Buffer, from: Address): { all: Buffer[]; last: Buffer } => {
      answers.length = 0;
      for (let each = 0; each < MUTANTS / 5; each += 1) put(mutant(bytes), from);
      const before = answers.length;
      put(bytes, from);
      const all = answers.splice(0);
      return { all, last: Buffer.concat(all.slice(before)) };
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const from = at(1_024 + round);
      const client = new DtlsClient({ identity, key, ...options });
      const cookie = client.cookieIn(around(client.hello(), from).last);
      const flight = around(client.hello(cookie), from).last;
      // A copy with more behind the proof is a proof as well.
      const { all } = around(Buffer.concat(client.proof(flight)), from);
      expect(all.filter((answer) => client.isProven(answer))).toHaveLength(1);
      around(client.seal(Buffer.from(`true ${round}`)), from);
      around(client.farewell(), from);
      await clock.advance(50);
    }
    // Nothing but what the clients said, each once.
    expect(received).toEqual(Array.from({ length: ROUNDS }, (_, round) => `true ${round}`));
    expect(bytesOut).toBeLessThanOrEqual(3 * bytesIn);
    await clock.advance(200_000);
    expect(server.size).toEqual({ sessions: 0, halfOpen: 0 });
    server.close();
  });
});
