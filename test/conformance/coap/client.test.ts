import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { OutgoingRequest } from '../../../driver/coap/endpoint.ts';
import { Code } from '../../../driver/coap/endpoint.ts';
import { failure, hex, unspaced, Wire } from '../../support/devices/coap.ts';
import { openRawPeer, until } from '../../support/devices/udp.ts';

let wire: Wire;

beforeEach(async () => {
  wire = await Wire.open();
});

afterEach(() => wire.close());

describe('as a client', () => {
  it('takes a piggybacked response', async () => {
    const answer = wire.request();
    const { mid, token, rest } = await wire.seen();
    expect(rest).toBe(unspaced('b1 33 01 30 01 30'));
    await wire.tell(`6845 ${mid} ${token} c0 ff 3231`);
    expect(await answer).toEqual({
      code: Code.CONTENT,
      contentFormat: 0,
      observe: null,
      payload: Buffer.from('21'),
    });
  });

  it('takes a separate response, acknowledges it, and again when it comes again', async () => {
    const answer = wire.request();
    const { mid, token } = await wire.seen();
    await wire.tell(`6000 ${mid}`);
    await until(() => wire.endpoint.stats().received === 1);
    await wire.clock.advance(50_000);
    expect(wire.endpoint.stats().retransmissions).toBe(0);
    expect(await wire.ask(`4845 7777 ${token} ff 3231`)).toBe('60007777');
    expect((await answer).payload.toString()).toBe('21');
    expect(await wire.ask(`4845 7777 ${token} ff 3231`)).toBe('60007777');
    expect(await wire.ask(`4845 7778 ${token} ff 3231`)).toBe('70007778');
  });

  it('takes a separate response whose acknowledgement was lost', async () => {
    const answer = wire.request();
    const { token } = await wire.seen();
    expect(await wire.ask(`4845 7777 ${token} ff 3231`)).toBe('60007777');
    expect((await answer).payload.toString()).toBe('21');
    await wire.clock.advance(100_000);
    expect(wire.endpoint.stats().retransmissions).toBe(0);
  });

  it('does not take an answer with another token, id or source', async () => {
    const answer = wire.request();
    const { mid, token } = await wire.seen();
    const other = await openRawPeer();
    const wrong = ((Number.parseInt(mid, 16) + 1) & 0xffff).toString(16).padStart(4, '0');
    await wire.tell(`6845 ${mid} 0000000000000000 ff 30`);
    await wire.tell(`6845 ${wrong} ${token} ff 30`);
    await other.send(hex(`6845 ${mid} ${token} ff 30`), wire.endpoint.port);
    await other.send(hex(`6000 ${mid}`), wire.endpoint.port);
    expect(
      (await other.ask(hex(`4845 7777 ${token} ff 30`), wire.endpoint.port)).toString('hex'),
    ).toBe('70007777');
    await wire.tell(`6845 ${mid} ${token} ff 31`);
    expect((await answer).payload.toString()).toBe('1');
    await other.close();
  });

  it('resets a notification nobody waits for', async () => {
    expect(await wire.ask('4145 0001 aa 61 05 ff 31')).toBe('70000001');
    expect(await wire.ask('5145 0002 aa 61 05 ff 31')).toBe('70000002');
  });

  it('repeats after 2 to 3 s, doubling, four times, and gives up within 93 s', async () => {
    const started = wire.clock.now();
    const reason = failure(wire.request({ withinMs: 3_600_000 }));
    const times: number[] = [];
    while (wire.clock.now() - started < 94_000) {
      const before = wire.endpoint.stats().retransmissions;
      await wire.clock.advance(200);
      if (wire.endpoint.stats().retransmissions > before) times.push(wire.clock.now() - started);
    }
    expect(await reason).toBe('timeout-before-ack');
    expect(times).toHaveLength(4);
    const [first = 0, second = 0, third = 0, fourth = 0] = times;
    expect(first).toBeGreaterThanOrEqual(2000);
    expect(first).toBeLessThanOrEqual(3400);
    for (const [gap, factor] of [
      [second - first, 2],
      [third - second, 4],
      [fourth - third, 8],
    ] as const) {
      expect(gap).toBeGreaterThanOrEqual(2000 * factor);
      expect(gap).toBeLessThanOrEqual(3000 * factor + 400);
    }
    await until(() => wire.device.received.length === 5);
    expect(new Set(wire.device.received.map((bytes) => bytes.toString('hex'))).size).toBe(1);
  });

  it('says what the peer may know when time is up', async () => {
    const unheard = failure(wire.request({ withinMs: 5000 }));
    await wire.seen();
    await wire.clock.advance(5600);
    expect(await unheard).toBe('timeout-before-ack');
    const heard = failure(wire.request({ withinMs: 5000 }));
    await wire.device.next();
    const bytes = await wire.device.next();
    await wire.tell(`6000 ${bytes.subarray(2, 4).toString('hex')}`);
    await until(() => wire.endpoint.stats().received === 1);
    await wire.clock.advance(5600);
    expect(await heard).toBe('timeout-after-ack');
    expect(await failure(wire.request({ withinMs: 0 }))).toBe('expired-in-queue');
    expect(wire.endpoint.stats().outstanding).toBe(0);
  });

  it('fails when the peer resets the request', async () => {
    const reason = failure(wire.request());
    const { mid } = await wire.seen();
    await wire.tell(`7000 ${mid}`);
    expect(await reason).toBe('reset');
  });

  it('has one request on the way to a peer; the next goes after the acknowledgement', async () => {
    const first = failure(wire.request({ path: ['1'] }));
    const second = failure(wire.request({ path: ['2'] }));
    const expiring = failure(wire.request({ path: ['3'], withinMs: 1000 }));
    const one = await wire.seen();
    expect(one.rest).toBe('b131');
    await wire.clock.advance(1400);
    expect(await expiring).toBe('expired-in-queue');
    await wire.tell(`6000 ${one.mid}`);
    const two = await wire.seen();
    expect(two.rest).toBe('b132');
    expect(Number.parseInt(two.mid, 16)).toBe((Number.parseInt(one.mid, 16) + 1) & 0xffff);
    await wire.tell(`6845 ${two.mid} ${two.token}`);
    await wire.tell(`5845 7777 ${one.token}`);
    expect(await first).toBe('no failure');
    expect(await second).toBe('no failure');
  });

  it('does not queue more than 100 requests to a peer', async () => {
    const waiting = Array.from({ length: 101 }, () => failure(wire.request()));
    expect(await failure(wire.request())).toBe('queue-full');
    await wire.endpoint.close();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['closed']));
  });

  it('refuses a response with an unknown critical option', async () => {
    const reason = failure(wire.request());
    const { mid, token } = await wire.seen();
    await wire.tell(`6845 ${mid} ${token} 91 00`);
    expect(await reason).toBe('bad-response');
    const separate = failure(wire.request());
    const next = await wire.seen();
    expect(await wire.ask(`4845 7777 ${next.token} 91 00`)).toBe('70007777');
    expect(await separate).toBe('bad-response');
  });

  it('refuses an address, port or path that cannot be sent', async () => {
    const request: OutgoingRequest = {
      method: 'GET',
      path: ['a'],
      deadline: wire.clock.now() + 1000,
    };
    const to = (address: string, port: number) =>
      failure(wire.endpoint.request({ address, port }, request));
    expect(await to('wire.device.example', 5683)).toBe('bad-request');
    expect(await to('127.0.0.1', 0)).toBe('bad-request');
    expect(await failure(wire.request({ path: ['x'.repeat(256)] }))).toBe('bad-request');
  });

  it('survives an address that cannot be reached', async () => {
    const request: OutgoingRequest = {
      method: 'GET',
      path: ['a'],
      deadline: wire.clock.now() + 1000,
    };
    const reason = failure(wire.endpoint.request({ address: '::1', port: 9 }, request));
    await until(() => wire.endpoint.stats().sendErrors === 1);
    await wire.clock.advance(1400);
    expect(await reason).toBe('timeout-before-ack');
  });
});
