import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { CoapResponse } from '../../../driver/coap/endpoint.ts';
import { hex, Wire } from '../../support/devices/coap.ts';
import { openRawPeer, until } from '../../support/devices/udp.ts';
import { seeded } from '../../support/world/seeded.ts';

const DATAGRAMS = 20_000;
const BATCH = 50; // small enough that no datagram is lost in a full socket buffer

let wire: Wire;

beforeEach(async () => {
  wire = await Wire.open();
});

afterEach(() => wire.close());

/** Changes, cuts, repeats or replaces bytes of one of `seeds`. */
function mutant(random: () => number, seeds: readonly Buffer[]): Buffer {
  const upTo = (limit: number) => Math.floor(random() * limit);
  if (random() < 0.2) return Buffer.from(Array.from({ length: upTo(60) }, () => upTo(256)));
  const bytes = Buffer.from(seeds[upTo(seeds.length)] ?? []);
  for (let changes = upTo(4); changes > 0; changes--) bytes[upTo(bytes.length)] = upTo(256);
  // Most get an id of their own, or nearly all would be duplicates; an acknowledgement has ours.
  if (((bytes[0] ?? 0) & 0x20) === 0 && random() < 0.9) bytes.writeUInt16BE(upTo(65_536), 2);
  if (random() < 0.2) return bytes.subarray(0, upTo(bytes.length));
  if (random() < 0.1) return Buffer.concat([bytes, bytes.subarray(upTo(bytes.length))]);
  return bytes;
}

async function pour(datagrams: () => Buffer): Promise<void> {
  const before = wire.endpoint.stats().received;
  for (let one = 0; one < BATCH; one++) await wire.device.send(datagrams(), wire.endpoint.port);
  await until(() => wire.endpoint.stats().received >= before + BATCH);
}

async function isAlive(): Promise<boolean> {
  const other = await openRawPeer();
  const reply = await other.ask(hex('4001 0001 b5 68656c6c6f'), wire.endpoint.port);
  await other.close();
  return reply.toString('hex') === '60450001ff6869';
}

describe('20,000 mutated datagrams leave the endpoint in order', () => {
  it('as requests', { timeout: 60_000 }, async () => {
    const random = seeded(20_261_120);
    const seeds = [
      '4401 0001 01020304 b5 68656c6c6f',
      '4101 0002 aa b5 6c61726765 c1 16',
      '4002 0003 b2 7264 47 65703d6465762d31 04 6c743d3630 12 28 ff 3c2f332f303e',
      '4003 0004 b1 61 d1 03 08 d2 14 0400 ff 30313233343536373839616263646566',
      '4003 0005 b1 61 d1 03 18 ff 30313233343536373839616263646566',
      '4005 0006 b1 61 11 70 ff 80',
      '5001 0007 60 51 61',
      '4000 0008',
    ].map(hex);
    for (let sent = 0; sent < DATAGRAMS; sent += BATCH) {
      await pour(() => mutant(random, seeds));
      await wire.clock.advance(40);
    }
    const stats = wire.endpoint.stats();
    expect(stats).toMatchObject({ received: DATAGRAMS, faults: 0, handlerErrors: 0 });
    expect(stats.malformed).toBeGreaterThan(3000);
    expect(wire.endpoint.requests.length).toBeGreaterThan(3000);
    expect(await isAlive()).toBe(true);
  });

  it('as answers to requests that wait', { timeout: 60_000 }, async () => {
    const random = seeded(7252);
    const outcomes = new Map<string, number>();
    const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const request = async (answer: Promise<CoapResponse>) => {
      try {
        await answer;
        count('answered');
      } catch (error) {
        count(error instanceof Error ? error.message : String(error));
      }
    };
    // Block1 of no bytes and of 4 or more: each ends a process that uses npm coap.
    const ends = ['d0 0e', 'd4 0e 00000000', 'd5 0e 0000000000', 'd1 0e 0f', 'd1 0e 0e'];
    ends.push('d1 0a 0e ff 31', 'd1 0a 08 ff 31', '60 51 05 ff 31', 'ff 31');
    const heads = ['6845', '685f', '688d', '4845', '5845'];
    let asked: Buffer = Buffer.alloc(12);
    for (let sent = 0; sent < DATAGRAMS; sent += BATCH) {
      while (wire.endpoint.stats().outstanding < 2) {
        const large = { method: 'PUT', payload: Buffer.alloc(3000) } as const;
        void request(
          wire.request({ withinMs: 3000, ...(random() < 0.5 ? large : { observe: 0 }) }),
        );
      }
      await until(() => wire.device.received.length > 0);
      asked = wire.device.received.findLast((bytes) => bytes.length > 12) ?? asked;
      wire.device.received.length = 0;
      const answers = heads.flatMap((head) =>
        ends.map((end) => Buffer.concat([hex(head), asked.subarray(2, 12), hex(end)])),
      );
      let first = true;
      await pour(() => {
        // One intact answer per batch, or hardly a request would be answered.
        if (!first) return mutant(random, answers);
        first = false;
        return answers[Math.floor(random() * answers.length)] ?? asked;
      });
      await wire.clock.advance(random() < 0.2 ? 4000 : 40);
    }
    await wire.clock.advance(10_000);
    expect(wire.endpoint.stats()).toMatchObject({ faults: 0, handlerErrors: 0, outstanding: 0 });
    expect(outcomes.get('answered')).toBeGreaterThan(20);
    expect(outcomes.get('unknown critical option 27')).toBeGreaterThan(5);
    expect(await isAlive()).toBe(true);
  });
});
