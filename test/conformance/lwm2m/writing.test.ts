import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { lineOf, openToldBench, speaking, type ToldBench } from '../../support/lwm2m/told-bench.ts';
import type { Said } from '../../support/lwm2m/told-device.ts';

let world: ToldBench;
beforeEach(async () => {
  world = await openToldBench();
});
afterEach(() => world.close());

const lifetime = {
  code: 'lifetime',
  type: 'INT',
  rw: 'READ_WRITE',
  configs: { objectId: '1', resourceId: '1' },
} as const;
const points = [lifetime];

describe('a single value is written', () => {
  const writtenIn = async (format: number, version = '1.1') => {
    const query = `lt=60&lwm2m=${version}&b=U`;
    const given = { points, query, links: `</>;rt="oma.lwm2m";ct=${format},</1/0>` };
    const { write, device } = await world.registered(speaking(format, ''), given);
    await write('lifetime', '60');
    return device.heard().map(lineOf);
  };

  it('int-205: in plain text', async () => {
    expect(await writtenIn(0)).toEqual(['PUT /1/0/1 0 60']);
  });

  it('int-212: in CBOR', async () => {
    expect(await writtenIn(60)).toEqual(['PUT /1/0/1 60 183c']);
  });

  it('int-215: in TLV', async () => {
    expect(await writtenIn(11_542, '1.0')).toEqual(['PUT /1/0/1 11542 c1013c']);
  });

  it('int-220: in the JSON of 1.0', async () => {
    expect(await writtenIn(11_543, '1.0')).toEqual([
      'PUT /1/0/1 11543 {"bn":"/1/0/","e":[{"n":"1","v":60}]}',
    ]);
  });

  it('int-228: to one instance of a multiple resource', async () => {
    const configs = { objectId: '16', resourceId: '0', resourceInstanceId: '2' };
    const { write, device } = await world.registered(() => ({ code: '2.04' }), {
      points: [{ code: 'entry', type: 'STRING', rw: 'READ_WRITE', configs }],
    });
    await write('entry', 'host device');
    expect(device.heard().map(lineOf)).toEqual(['PUT /16/0/0/2 0 host device']);
  });

  it('int-256: a write that the device refuses fails, and is not taken for done', async () => {
    const { write, device } = await world.registered(() => ({ code: '4.00' }), { points });
    await expect(write('lifetime', '-1')).rejects.toMatchObject({
      code: 'DEVICE_REFUSED',
      message: 'the device answered 4.00',
      outcome: 'FAILED',
    });
    expect(device.heard()).toHaveLength(1);
  });
});

describe('several values are written', () => {
  const value = '{"1":60,"2":1,"6":true,"7":"U"}';
  const changed = async (operation: string, answer: Parameters<ToldBench['registered']>[0]) => {
    const { call, device } = await world.registered(answer);
    await expect(call({ operation, path: '/1/0' }, { value })).resolves.toEqual({});
    return device.heard().map(lineOf);
  };
  const inJson = (method: string) =>
    `${method} /1/0 110 [{"bn":"/1/0/","n":"1","v":60},{"n":"2","v":1},{"n":"6","vb":true},{"n":"7","vs":"U"}]`;
  const inCbor =
    'POST /1/0 112 84a3' +
    '21652f312f302f' +
    '00613102183c' +
    'a20061320201' +
    'a200613604f5' +
    'a2006137036155';

  it('int-226: of an object instance in part', async () => {
    expect(await changed('update', () => ({ code: '2.04' }))).toEqual([inJson('POST')]);
  });

  it('int-227: in place of an object instance', async () => {
    expect(await changed('write', () => ({ code: '2.04' }))).toEqual([inJson('PUT')]);
  });

  it('int-233: in SenML-CBOR', async () => {
    expect((await changed('update', speaking(112, ''))).at(-1)).toBe(inCbor);
  });

  it('int-234: in SenML-JSON', async () => {
    expect((await changed('update', speaking(110, ''))).at(-1)).toBe(inJson('POST'));
  });
});

describe('an object', () => {
  it('int-221: of security refuses everything, which fails for certain', async () => {
    const secured = {
      code: 'uri',
      type: 'STRING',
      rw: 'READ_WRITE',
      configs: { objectId: '0' },
    } as const;
    const { read, write, call, device } = await world.registered((): Said => ({ code: '4.01' }), {
      points: [secured],
    });
    const refused = {
      code: 'DEVICE_REFUSED',
      message: 'the device answered 4.01',
      outcome: 'FAILED',
    };
    await expect(read('uri')).rejects.toMatchObject(refused);
    await expect(write('uri', 'coap://x')).rejects.toMatchObject(refused);
    const calls = [
      call({ operation: 'discover', path: '/0/0' }),
      call({ operation: 'create', path: '/0' }, { value: '{"0":"coap://x"}' }),
      call({ operation: 'delete', path: '/0/0' }),
      call({ operation: 'attributes', path: '/0/0' }, { attributes: 'pmin=1' }),
    ];
    for (const calling of calls) await expect(calling).rejects.toMatchObject(refused);
    expect(device.heard()).toHaveLength(6);
  });
});

describe('a device', () => {
  it('int-241: is rebooted without a byte of payload, and registers anew', async () => {
    const reboot = {
      code: 'reboot',
      type: 'BOOLEAN',
      rw: 'WRITE_ONLY',
      configs: { objectId: '3', resourceId: '4' },
    } as const;
    const { write, device, status } = await world.registered(() => ({ code: '2.04' }), {
      points: [reboot],
    });
    await write('reboot', 'true');
    expect(device.heard().map(lineOf)).toEqual(['POST /3/0/4']);
    expect(await device.register()).toBe('2.01');
    expect(status()).toBe('ONLINE');
  });

  it('int-260: says which resources it has, and with which attributes', async () => {
    const links = '</3/0>;pmin=10,</3/0/1>,</3/0/6>;dim=2,</3/0/9>;pmin=10;pmax=60';
    const { call, device } = await world.registered(({ accept }) =>
      accept === 40 ? { code: '2.05', format: 40, payload: links } : { code: '4.06' },
    );
    expect(await call({ operation: 'discover', path: '/3/0' })).toEqual({
      '/3/0': 'pmin=10',
      '/3/0/1': '',
      '/3/0/6': 'dim=2',
      '/3/0/9': 'pmin=10;pmax=60',
    });
    expect(device.heard().map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /3/0']);
  });

  it('int-261: takes attributes of a multiple resource and of one instance of it', async () => {
    const { call, device } = await world.registered(() => ({ code: '2.04' }));
    const write = (path: string, attributes: string) =>
      call({ operation: 'attributes', path }, { attributes });
    await write('/3/0/7', 'pmin=10&pmax=200');
    await write('/3/0/7/1', 'gt=5000&lt');
    expect(device.heard().map(lineOf)).toEqual([
      'PUT /3/0/7?pmin=10&pmax=200',
      'PUT /3/0/7/1?gt=5000&lt',
    ]);
  });
});
