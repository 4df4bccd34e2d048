import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { OutgoingRequest } from '../../../driver/coap/endpoint.ts';
import { Code } from '../../../driver/coap/endpoint.ts';
import {
  ascii,
  HELLO,
  hex,
  openTestedEndpoint,
  unspaced,
  Wire,
} from '../../support/devices/coap.ts';
import { openRawPeer, until } from '../../support/devices/udp.ts';

let wire: Wire;

beforeEach(async () => {
  wire = await Wire.open();
});

afterEach(() => wire.close());

describe('as a server', () => {
  it('answers a confirmable request in the acknowledgement, a non-confirmable one on its own', async () => {
    expect(await wire.ask(`4101 0001 aa ${HELLO}`)).toBe(unspaced('6145 0001 aa ff 6869'));
    const reply = await wire.ask(`5101 0002 aa ${HELLO}`);
    expect(reply).toMatch(/^5145....aaff6869$/);
  });

  it('answers a ping with a reset and calls no handler', async () => {
    expect(await wire.ask('4000 1234')).toBe('70001234');
    expect(wire.endpoint.requests).toEqual([]);
  });

  it.each([
    ['an unknown critical option', `4001 0003 91 00 2${HELLO.slice(1)}`],
    ['If-Match, as nothing has entity tags', `4001 0003 10 a${HELLO.slice(1)}`],
    ['a repeated Accept', `4001 0003 ${HELLO} 60 00`],
    ['a path segment over 255 bytes', `4001 0003 be 0000 ${'61'.repeat(269)}`],
    ['a Block1 of 4 bytes', `4003 0003 ${HELLO} d4 03 00000000`],
  ])('refuses %s with 4.02', async (_name, bytes) => {
    expect(await wire.ask(bytes)).toBe('60820003');
    expect(wire.endpoint.requests).toEqual([]);
  });

  it('ignores an unknown elective option', async () => {
    expect(await wire.ask(`4001 0003 81 00 3${HELLO.slice(1)}`)).toBe(
      unspaced('6045 0003 ff 6869'),
    );
  });

  it('says nothing to a non-confirmable request with an unknown critical option', async () => {
    await wire.tell(`5001 0003 91 00 2${HELLO.slice(1)}`);
    expect(await wire.isSilent()).toBe(true);
    expect(wire.endpoint.requests).toEqual([]);
  });

  it('refuses to be a proxy', async () => {
    expect(await wire.ask(`4001 0003 d6 16 ${ascii('coap:a')}`)).toBe('60a50003');
  });

  it('refuses methods that do not exist with 4.05', async () => {
    expect(await wire.ask(`401f 0003 ${HELLO}`)).toBe('60850003');
  });

  it.each([
    ['a marker without payload', '4001 0004 ff'],
    ['a token over 8 bytes', '4901 0004 000000000000000000'],
    ['a reserved option nibble', '4001 0004 f0'],
    ['an empty message with content', '4100 0004 00'],
    ['a reserved code class', '4020 0004'],
    ['a signalling code', '40e1 0004'],
  ])('resets a confirmable message with %s', async (_name, bytes) => {
    expect(await wire.ask(bytes)).toBe('70000004');
    expect(wire.endpoint.stats().malformed).toBe(1);
  });

  it.each([
    ['a non-confirmable malformed message', '5001 0004 ff'],
    ['another version', '8001 0004'],
    ['an acknowledgement with a method', `6001 0004 ${HELLO}`],
    ['a reset with a code', '7045 0004'],
    ['an acknowledgement of nothing', '6000 0004'],
    ['a reset of nothing', '7000 0004'],
    ['a response to nothing in an acknowledgement', '6145 0004 aa'],
    ['a non-confirmable response to nothing', '5145 0004 aa'],
    ['three bytes', '400100'],
  ])('says nothing to %s', async (_name, bytes) => {
    await wire.tell(bytes);
    expect(await wire.isSilent()).toBe(true);
    expect(wire.endpoint.requests).toEqual([]);
  });

  it('answers a repeated POST with the same bytes and runs it once', async () => {
    const post = `4102 0005 bb b2 ${ascii('rd')}`;
    const first = await wire.ask(post);
    expect(first).toBe(unspaced(`6141 0005 bb 82 ${ascii('rd')} 02 ${ascii('a1')}`));
    expect(await wire.ask(post)).toBe(first);
    expect(wire.endpoint.requests).toHaveLength(1);
    await wire.clock.advance(246_000);
    expect(await wire.ask(post)).toBe(first);
    expect(wire.endpoint.requests).toHaveLength(1);
    await wire.clock.advance(60_000);
    expect(await wire.ask(post)).toBe(first);
    expect(wire.endpoint.requests).toHaveLength(2);
  });

  it('answers a repeated GET anew and a repeated non-confirmable request not at all', async () => {
    expect(await wire.ask(`4001 0006 ${HELLO}`)).toBe(unspaced('6045 0006 ff 6869'));
    expect(await wire.ask(`4001 0006 ${HELLO}`)).toBe(unspaced('6045 0006 ff 6869'));
    await wire.ask(`5001 0007 ${HELLO}`);
    await wire.tell(`5001 0007 ${HELLO}`);
    expect(await wire.isSilent()).toBe(true);
    expect(wire.endpoint.stats().duplicates).toBe(2);
  });

  it.each([
    ['token', `4102 0005 cc b2 ${ascii('rd')}`, `6141 0005 cc 82 ${ascii('rd')} 02 ${ascii('a1')}`],
    ['resource', `4102 0005 bb b2 ${ascii('ab')}`, '6144 0005 bb c0'],
    [
      'body',
      `4102 0005 bb b2 ${ascii('rd')} ff 31`,
      `6141 0005 bb 82 ${ascii('rd')} 02 ${ascii('a1')}`,
    ],
    ['method', `4103 0005 bb b2 ${ascii('rd')}`, '6144 0005 bb'],
  ])('takes the id of a request with another %s for a new request', async (_name, bytes, reply) => {
    const post = `4102 0005 bb b2 ${ascii('rd')}`;
    const first = await wire.ask(post);
    expect(await wire.ask(bytes)).toBe(unspaced(reply));
    expect(wire.endpoint.requests).toHaveLength(2);
    // Each is repeated by its own bytes, also the earlier one.
    expect(await wire.ask(bytes)).toBe(unspaced(reply));
    expect(await wire.ask(post)).toBe(first);
    expect(wire.endpoint.requests).toHaveLength(2);
  });

  it('takes the same bytes for a new request once the peer has deleted what it made', async () => {
    const post = `4102 0005 bb b2 ${ascii('rd')}`;
    const remove = `4104 0006 bc b2 ${ascii('rd')} 02 ${ascii('a1')}`;
    await wire.ask(post);
    const removed = await wire.ask(remove);
    expect(removed).toBe('61420006bc');
    await wire.ask(post);
    expect(wire.endpoint.requests).toHaveLength(3);
    // Repeated, it deletes nothing that came after it.
    expect(await wire.ask(remove)).toBe(removed);
    expect(wire.endpoint.requests).toHaveLength(3);
  });

  it('tells the same message id of two peers apart', async () => {
    const other = await openRawPeer();
    const post = hex(`4002 0005 b2 ${ascii('rd')}`);
    await wire.device.ask(post, wire.endpoint.port);
    await other.ask(post, wire.endpoint.port);
    expect(wire.endpoint.requests).toHaveLength(2);
    await other.close();
  });

  it('answers 5.00 when the handler throws and goes on', async () => {
    expect(await wire.ask(`4001 0008 b6 ${ascii('broken')}`)).toBe('60a00008');
    expect(await wire.ask(`4001 0009 ${HELLO}`)).toBe(unspaced('6045 0009 ff 6869'));
    expect(wire.endpoint.stats().handlerErrors).toBe(1);
  });

  it('answers a source that may be forged with at most three times its bytes', async () => {
    const reply = await wire.device.ask(hex(`4001 000a b5 ${ascii('large')}`), wire.endpoint.port);
    expect(reply.length).toBeLessThanOrEqual(3 * 10 + 16);
    expect(reply[1]).toBe(Code.CONTENT);
    expect(await wire.ask(`4001 000b bb ${ascii('.well-known')} 04 ${ascii('core')}`)).toBe(
      '6084000b',
    );
  });

  it('gives whole blocks to a source that has answered a request of ours', async () => {
    const answer = wire.request();
    const { mid, token } = await wire.seen();
    await wire.tell(`6845 ${mid} ${token}`);
    await answer;
    expect((await wire.ask(`4001 000a b5 ${ascii('large')}`)).length / 2).toBeGreaterThan(1024);
  });
});

describe('a slow handler', () => {
  let release: () => void;

  beforeEach(async () => {
    await wire.close();
    wire = await Wire.open(
      () =>
        new Promise((resolve) => {
          release = () => resolve({ code: Code.CHANGED });
        }),
    );
  });

  it('has its request acknowledged within about a second and the reply sent separately', async () => {
    const post = `4102 0011 cc b2 ${ascii('rd')}`;
    await wire.tell(post);
    await until(() => wire.endpoint.requests.length === 1);
    await wire.clock.advance(1200);
    expect(await wire.next()).toBe('60000011');
    expect(await wire.ask(post)).toBe('60000011');
    release();
    const reply = await wire.next();
    expect(reply).toMatch(/^4144....cc$/);
    await wire.clock.advance(3400);
    expect(await wire.next()).toBe(reply);
    await wire.tell(`6000 ${reply.slice(4, 8)}`);
    await until(() => wire.endpoint.stats().outstanding === 0);
    await wire.clock.advance(100_000);
    expect(wire.endpoint.stats().retransmissions).toBe(1);
    expect(wire.endpoint.requests).toHaveLength(1);
  });

  it('is not run again by a repetition that comes while it works', async () => {
    const post = `4002 0012 b2 ${ascii('rd')}`;
    await wire.tell(post);
    await wire.tell(post);
    await until(() => wire.endpoint.stats().duplicates === 1);
    release();
    expect(await wire.next()).toBe('60440012');
    expect(wire.endpoint.requests).toHaveLength(1);
  });

  it('that never ends is given up with 5.03', async () => {
    await wire.tell(`5102 0013 dd b2 ${ascii('rd')}`);
    await until(() => wire.endpoint.requests.length === 1);
    await wire.clock.advance(92_000);
    expect(await wire.next()).toMatch(/^51a3....dd$/);
    expect(wire.endpoint.stats().handling).toBe(0);
  });

  it('holds up at most 32 requests of one peer', async () => {
    for (let mid = 0; mid < 33; mid++) {
      const bytes = hex(`4002 0000 b2 ${ascii('rd')}`);
      bytes.writeUInt16BE(mid, 2);
      await wire.device.send(bytes, wire.endpoint.port);
    }
    expect(await wire.next()).toBe('60a30020');
    expect(wire.endpoint.stats()).toMatchObject({ handling: 32, limited: 1 });
  });
});

describe('on IPv6', () => {
  it('serves both families on :: and names IPv4 peers plainly', async () => {
    const both = await openTestedEndpoint({ clock: wire.clock, host: '::' });
    expect((await wire.device.ask(hex(`4001 0001 ${HELLO}`), both.port)).toString('hex')).toBe(
      unspaced('6045 0001 ff 6869'),
    );
    expect(both.requests[0]?.peer).toEqual({ address: '127.0.0.1', port: wire.device.port });
    const request: OutgoingRequest = {
      method: 'GET',
      path: ['a'],
      deadline: wire.clock.now() + 60_000,
    };
    const answer = both.request({ address: '127.0.0.1', port: wire.device.port }, request);
    await wire.device.next();
    const asked = wire.device.received.at(-1) ?? Buffer.alloc(0);
    await wire.device.send(Buffer.concat([hex('6845'), asked.subarray(2, 12)]), both.port);
    expect((await answer).code).toBe(Code.CONTENT);
    await both.close();
  });
});
