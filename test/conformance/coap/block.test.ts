import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { Code } from '../../../driver/coap/endpoint.ts';
import { Uploads } from '../../../driver/coap/upload.ts';
import { ascii, failure, HELLO, hex, LARGE, unspaced, Wire } from '../../support/devices/coap.ts';
import { TestClock } from '../../support/world/clock.ts';

let wire: Wire;

beforeEach(async () => {
  wire = await Wire.open();
});

afterEach(() => wire.close());

/** A POST to /a with a Block1 option and a payload of equal bytes. */
function block(mid: number, option: string, fill: number, size = 16, token = ''): Buffer {
  const head = hex(`4${token.length / 2}02 0000 ${token} b1 61 d1 03 ${option} ff`);
  head.writeUInt16BE(mid, 2);
  return Buffer.concat([head, Buffer.alloc(size, fill)]);
}

async function post(...part: Parameters<typeof block>): Promise<string> {
  return (await wire.device.ask(block(...part), wire.endpoint.port)).toString('hex');
}

function upload(size: number) {
  return wire.request({ method: 'PUT', path: ['a'], payload: Buffer.alloc(size, 7) });
}

describe('block-wise as a server', () => {
  it('puts an upload together although each block has a token of its own', async () => {
    expect(await post(1, '08', 1, 16, 'a1')).toBe(unspaced('615f 0001 a1 d1 0e 08'));
    expect(await post(2, '18', 2, 16, 'a2')).toBe(unspaced('615f 0002 a2 d1 0e 18'));
    expect(await post(3, '20', 3, 5, 'a3')).toMatch(/^61440003a3/);
    const body = Buffer.concat([Buffer.alloc(16, 1), Buffer.alloc(16, 2), Buffer.alloc(5, 3)]);
    expect(wire.endpoint.requests.map(({ payload }) => payload)).toEqual([body]);
  });

  it('takes an empty Block1 as block 0 of 16 bytes and the last', async () => {
    expect(await wire.ask(`4003 0001 b1 61 d0 03 ff 31`)).toBe(unspaced('6044 0001 d0 0e'));
    expect(wire.endpoint.requests[0]?.payload.toString()).toBe('1');
  });

  it.each([
    ['size exponent 7', '0f', 16, '80'],
    ['a block that is not full', '08', 15, '80'],
    ['a block that is too full', '08', 17, '80'],
    ['a block without the ones before', '18', 16, '88'],
  ])('refuses %s', async (_name, option, size, code) => {
    expect((await post(1, option, 1, size)).slice(2, 4)).toBe(code);
    expect(wire.endpoint.requests).toEqual([]);
  });

  it('answers 4.08 when a block is missing and takes the same block twice', async () => {
    await post(1, '08', 1);
    expect((await post(2, '08', 1)).slice(2, 4)).toBe('5f');
    expect((await post(3, '18', 2)).slice(2, 4)).toBe('5f');
    expect((await post(4, '18', 2)).slice(2, 4)).toBe('5f');
    expect((await post(5, '38', 4)).slice(2, 4)).toBe('88');
    expect((await post(6, '20', 3, 1)).slice(2, 4)).toBe('44');
    expect(wire.endpoint.requests[0]?.payload).toHaveLength(33);
  });

  it('answers 4.13 and the limit when more than 256 KiB are announced', async () => {
    const reply = await wire.ask(`4002 0001 b1 61 d1 03 08 d3 14 040001 ff ${'00'.repeat(16)}`);
    expect(reply).toBe(unspaced('608d 0001 d0 0e d3 14 040000'));
  });

  it('answers 4.13 when more than 256 KiB come', async () => {
    const offset = (256 * 1024) / 1024;
    const option = ((offset << 4) | 6).toString(16).padStart(4, '0');
    const bytes = hex(`4002 0001 b1 61 d2 03 ${option} ff 00`);
    expect((await wire.device.ask(bytes, wire.endpoint.port))[1]).toBe(
      Code.REQUEST_ENTITY_TOO_LARGE,
    );
  });

  it('forgets an upload without progress for 93 s', async () => {
    await post(1, '08', 1);
    await wire.clock.advance(104_000);
    expect((await post(2, '10', 2, 1)).slice(2, 4)).toBe('88');
  });

  it('lets one peer have 4 uploads at a time', async () => {
    const codes: (number | undefined)[] = [];
    for (let path = 0x61; path < 0x66; path++) {
      const bytes = block(path, '08', 1);
      bytes[5] = path;
      codes.push((await wire.device.ask(bytes, wire.endpoint.port))[1]);
    }
    expect(codes).toEqual([0x5f, 0x5f, 0x5f, 0x5f, Code.SERVICE_UNAVAILABLE]);
  });

  it('gives up the oldest upload when strangers began too many, and goes on with the others', () => {
    const clock = new TestClock();
    const limits = { maxBodyBytes: 64, maxTotalBytes: 9_999, maxUploads: 100, maxPerPeer: 4 };
    const uploads = new Uploads(clock, { ...limits, maxPerHost: 10 });
    const take = (host: string, port: number, number: number, more = true) =>
      uploads.take(
        {
          key: `${host} ${port}`,
          peer: `${host} ${port}`,
          host,
          contentFormat: null,
          announced: null,
        },
        { number, more, szx: 0 },
        Buffer.alloc(16),
      ).outcome;
    expect(take('honest', 1, 0)).toBe('continue');
    for (let n = 0; n < 1_000; n++) expect(take(`stranger ${n % 9}`, n, 0)).toBe('continue');
    // One address has its own share: it pushed out only what it began itself.
    expect(take('honest', 1, 1)).toBe('continue');
    for (let n = 0; n < 99; n++) take(`other ${n}`, n, 0);
    expect(take('honest', 1, 2, false)).toBe('complete');
    for (let n = 0; n < 200; n++) take(`flood ${n}`, n, 0);
    expect(take('other 0', 0, 1)).toBe('refused');
  });

  it('gives a large reply in the size asked for, with one entity tag', async () => {
    const parts: Buffer[] = [];
    const tags = new Set<string>();
    for (let number = 0; number * 16 < LARGE.length; number++) {
      const packed = (number << 4).toString(16).padStart(4, '0');
      const bytes = hex(`4001 0000 b5 ${ascii('large')} c2 ${packed}`);
      bytes.writeUInt16BE(number, 2);
      const reply = await wire.device.ask(bytes, wire.endpoint.port);
      const marker = reply.indexOf(0xff, 4);
      tags.add(reply.subarray(5, 9).toString('hex'));
      parts.push(reply.subarray(marker + 1));
    }
    expect(Buffer.concat(parts)).toEqual(LARGE);
    expect(tags.size).toBe(1);
    expect(wire.endpoint.requests).toHaveLength(1);
  });

  it('refuses a block beyond the end', async () => {
    expect((await wire.ask(`4001 0001 b5 ${ascii('large')} c2 fff0`)).slice(2, 4)).toBe('80');
  });
});

describe('block-wise as a client', () => {
  it('fetches the rest of a notification-like answer without Observe', async () => {
    const answer = wire.request({ path: ['a'], observe: 0 });
    const first = await wire.seen();
    expect(first.rest).toBe(unspaced('60 51 61'));
    await wire.tell(`6845 ${first.mid} ${first.token} 61 05 d1 04 08 ff ${'31'.repeat(16)}`);
    const second = await wire.seen();
    expect(second.rest).toBe(unspaced('b1 61 c1 10'));
    await wire.tell(`6845 ${second.mid} ${second.token} d1 0a 10 ff 32`);
    const response = await answer;
    expect(response.observe).toBe(5);
    expect(response.payload.toString()).toBe(`${'1'.repeat(16)}2`);
  });

  it.each([
    ['another block than asked for', 'd1 0a 20 ff 32'],
    ['no block', 'ff 32'],
    ['size exponent 7', 'd1 0a 1f ff 32'],
    ['a block that is not full', 'd1 0a 18 ff 32'],
  ])('fails on %s', async (_name, options) => {
    const reason = failure(wire.request());
    const first = await wire.seen();
    await wire.tell(`6845 ${first.mid} ${first.token} d1 0a 08 ff ${'31'.repeat(16)}`);
    // A device that answered one block for another is asked once more.
    for (let left = options.startsWith('d1 0a 2') ? 2 : 1; left > 0; left -= 1) {
      const later = await wire.seen();
      await wire.tell(`6845 ${later.mid} ${later.token} ${options}`);
    }
    expect(await reason).toBe('bad-response');
  });

  it('asks once more for a block in place of which another one came', async () => {
    const answer = wire.request();
    const first = await wire.seen();
    await wire.tell(`6845 ${first.mid} ${first.token} d1 0a 08 ff ${'31'.repeat(16)}`);
    const second = await wire.seen();
    // The first block again, as a device answers that has lost count.
    await wire.tell(`6845 ${second.mid} ${second.token} d1 0a 08 ff ${'31'.repeat(16)}`);
    const third = await wire.seen();
    expect(third.rest).toBe(second.rest);
    await wire.tell(`6845 ${third.mid} ${third.token} d1 0a 10 ff 32`);
    expect((await answer).payload.toString()).toBe(`${'1'.repeat(16)}2`);
  });

  it('starts again once when the entity tag changes', async () => {
    const answer = wire.request();
    const blocks = [
      `41 01 d1 06 08 ff ${'31'.repeat(16)}`,
      '41 02 d1 06 10 ff 32',
      `41 02 d1 06 08 ff ${'33'.repeat(16)}`,
      '41 02 d1 06 10 ff 34',
    ];
    for (const answered of blocks) {
      const { mid, token } = await wire.seen();
      await wire.tell(`6845 ${mid} ${token} ${answered}`);
    }
    expect((await answer).payload.toString()).toBe(`${'3'.repeat(16)}4`);
  });

  it('goes on in the smaller size the peer asks for', async () => {
    const answer = upload(2000);
    const first = await wire.seen();
    // Block1 0/1/1024, Size1 2000
    expect(first.rest.slice(0, 22)).toBe(unspaced('b1 61 d1 03 0e d2 14 07d0 ff 07'));
    await wire.tell(`685f ${first.mid} ${first.token} d1 0e 0c`);
    const second = await wire.seen();
    // 1,024 bytes are there, so 256-byte blocks go on at 4
    expect(second.rest.slice(0, 12)).toBe(unspaced('b1 61 d1 03 4c ff'));
    await wire.tell(`6884 ${second.mid} ${second.token}`);
    expect((await answer).code).toBe(Code.NOT_FOUND);
  });

  it('sends one upload at a time to a resource, or the peer would mix them', async () => {
    const first = failure(upload(2000));
    const { mid } = await wire.seen();
    expect(await failure(upload(2000))).toBe('queue-full');
    await wire.tell(`7000 ${mid}`);
    expect(await first).toBe('reset');
    const again = failure(upload(2000));
    await wire.tell(`7000 ${(await wire.seen()).mid}`);
    expect(await again).toBe('reset');
  });

  it('starts again in the smaller size that comes with 4.13', async () => {
    const answer = upload(1500);
    const first = await wire.seen();
    await wire.tell(`688d ${first.mid} ${first.token} d1 0e 0d`);
    const second = await wire.seen();
    expect(second.rest.slice(0, 12)).toBe(unspaced('b1 61 d1 03 0d d2'));
    await wire.tell(`688d ${second.mid} ${second.token}`);
    expect((await answer).code).toBe(Code.REQUEST_ENTITY_TOO_LARGE);
  });

  it.each([20, 200, 1024])(
    'sends %s bytes in the smaller size that comes with 4.13, and the next ones at once',
    async (size) => {
      const answer = upload(size);
      const whole = await wire.seen();
      expect(whole.rest).toBe(`b161ff${'07'.repeat(size)}`);
      await wire.tell(`688d ${whole.mid} ${whole.token} d1 0e 00`);
      const first = await wire.seen();
      // Block1 0/1/16
      expect(first.rest.slice(0, 10)).toBe(unspaced('b1 61 d1 03 08'));
      await wire.tell(`688d ${first.mid} ${first.token}`);
      expect((await answer).code).toBe(Code.REQUEST_ENTITY_TOO_LARGE);
      const later = failure(upload(size));
      const next = await wire.seen();
      expect(next.rest.slice(0, 10)).toBe(unspaced('b1 61 d1 03 08'));
      await wire.tell(`7000 ${next.mid}`);
      expect(await later).toBe('reset');
    },
  );

  it('sends what fits into the remembered size in one piece', async () => {
    const answer = upload(200);
    const whole = await wire.seen();
    await wire.tell(`688d ${whole.mid} ${whole.token} d1 0e 02`);
    const first = await wire.seen();
    await wire.tell(`688d ${first.mid} ${first.token}`);
    await answer;
    const small = upload(64);
    const { mid, token, rest } = await wire.seen();
    expect(rest).toBe(`b161ff${'07'.repeat(64)}`);
    await wire.tell(`6844 ${mid} ${token}`);
    expect((await small).code).toBe(Code.CHANGED);
  });

  it('takes a 4.13 without a size for the refusal that it is', async () => {
    const answer = upload(200);
    const { mid, token } = await wire.seen();
    await wire.tell(`688d ${mid} ${token}`);
    expect((await answer).code).toBe(Code.REQUEST_ENTITY_TOO_LARGE);
    expect(await wire.isSilent()).toBe(true);
  });

  it('observes in the smaller size, under one token', async () => {
    const to = { address: '127.0.0.1', port: wire.device.port };
    const begun = wire.endpoint.observe(
      to,
      {
        method: 'FETCH',
        path: ['a'],
        payload: Buffer.alloc(20, 7),
        deadline: wire.clock.now() + 60_000,
      },
      () => {},
    );
    const whole = await wire.seen();
    await wire.tell(`688d ${whole.mid} ${whole.token} d1 0e 00`);
    const first = await wire.seen();
    await wire.tell(`685f ${first.mid} ${first.token} d1 0e 08`);
    const second = await wire.seen();
    expect([first.token, second.token]).toEqual([whole.token, whole.token]);
    await wire.tell(`6845 ${second.mid} ${second.token} 61 01 d1 08 10 ff 31`);
    const { running, response } = await begun;
    expect([running === null, response.payload.toString()]).toEqual([false, '1']);
  });

  it.each([
    ['of 4 bytes', 'd4 0e 00000000'],
    ['of 5 bytes', 'd5 0e 0000000000'],
    ['with size exponent 7', 'd1 0e 0f'],
  ])('fails on an answer with a Block1 %s and lives on', async (_name, option) => {
    const reason = failure(upload(2000));
    const { mid, token } = await wire.seen();
    await wire.tell(`685f ${mid} ${token} ${option}`);
    expect(await reason).toBe('bad-response');
    expect(await wire.ask(`4001 0001 ${HELLO}`)).toBe(unspaced('6045 0001 ff 6869'));
  });

  it('does not take a success without Block1 before the last block for the end of the upload', async () => {
    const reason = failure(upload(3000));
    const { mid, token } = await wire.seen();
    await wire.tell(`6844 ${mid} ${token}`);
    expect(await reason).toBe('bad-response');
  });

  it('goes on with 16 bytes when the answer has an empty Block1', async () => {
    const reason = failure(upload(2000));
    const first = await wire.seen();
    await wire.tell(`685f ${first.mid} ${first.token} d0 0e`);
    const second = await wire.seen();
    // 1,024 bytes are there, so 16-byte blocks go on at 64
    expect(second.rest.slice(0, 14)).toBe(unspaced('b1 61 d2 03 0408 ff'));
    await wire.tell(`7000 ${second.mid}`);
    expect(await reason).toBe('reset');
  });
});
