import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { openToldBench, speaking, type ToldBench } from '../../support/lwm2m/told-bench.ts';
import { bytes } from '../../support/lwm2m/told-device.ts';

let world: ToldBench;
beforeEach(async () => {
  world = await openToldBench();
});
afterEach(() => world.close());

const maker = {
  code: 'maker',
  type: 'STRING',
  configs: { objectId: '3', resourceId: '0' },
} as const;
const battery = {
  code: 'battery',
  type: 'INT',
  configs: { objectId: '3', resourceId: '9' },
} as const;
const points = [maker, battery];

describe('a single value is read', () => {
  const readIn = async (format: number, payload: Buffer | string, version = '1.1') => {
    const query = `lt=60&lwm2m=${version}&b=U`;
    const { read, device } = await world.registered(speaking(format, payload), { points, query });
    const value = await read('maker');
    return { value, asked: device.heard().at(-1) };
  };

  it('int-201: in plain text', async () => {
    const { value, asked } = await readIn(0, 'Open Devices');
    expect([value, asked?.url, asked?.accept]).toEqual(['Open Devices', '/3/0/0', 0]);
  });

  it('int-203: in TLV', async () => {
    const { value, asked } = await readIn(
      11_542,
      bytes('c8 00 0c 4f70656e2044657669636573'),
      '1.0',
    );
    expect([value, asked?.accept]).toEqual(['Open Devices', 11_542]);
  });

  it('int-204: in the JSON of 1.0', async () => {
    const json = '{"bn":"/3/0/0","e":[{"sv":"Open Devices"}]}';
    const { value, asked } = await readIn(11_543, json, '1.0');
    expect([value, asked?.accept]).toEqual(['Open Devices', 11_543]);
  });

  it('int-211: in CBOR', async () => {
    const { value, asked } = await readIn(60, bytes('6c 4f70656e2044657669636573'));
    expect([value, asked?.accept]).toEqual(['Open Devices', 60]);
  });

  it('int-224: a resource by its path alone', async () => {
    const { read, device } = await world.registered(speaking(110, '[{"bn":"/3/0/9","v":87}]'), {
      points,
    });
    expect(await read('battery')).toBe('87');
    expect(device.heard().map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /3/0/9']);
  });

  it('int-225: one instance of a multiple resource', async () => {
    const configs = { objectId: '3', resourceId: '6', resourceInstanceId: '1' };
    const { read, device } = await world.registered(speaking(110, '[{"bn":"/3/0/6/1","v":5}]'), {
      points: [{ code: 'source', type: 'INT', configs }],
    });
    expect(await read('source')).toBe('5');
    expect(device.heard().map(({ url }) => url)).toEqual(['/3/0/6/1']);
  });
});

describe('several values are read', () => {
  const all = { '/3/0/0': 'Acme', '/3/0/9': '87', '/3/0/6/0': '1', '/3/0/6/1': '5' };
  const json =
    '[{"bn":"/3/0/","n":"0","vs":"Acme"},{"n":"9","v":87},{"n":"6/0","v":1},{"n":"6/1","v":5}]';
  const readAt = async (path: string, format: number, payload: Buffer | string, query?: string) => {
    const given = query === undefined ? { points } : { points, query };
    const { call, device } = await world.registered(speaking(format, payload), given);
    const values = await call({ operation: 'read', path });
    return { values, asked: device.heard().at(-1) };
  };

  it('int-222: of all instances of an object', async () => {
    const two = '[{"bn":"/3303/","n":"0/5700","v":21.5},{"n":"1/5700","v":-3}]';
    const { values, asked } = await readAt('/3303', 110, two);
    expect(values).toEqual({ '/3303/0/5700': '21.5', '/3303/1/5700': '-3' });
    expect(asked?.url).toBe('/3303');
  });

  it('int-223: of an object instance', async () => {
    const entries = 'c4 00 41636d65 c1 09 57';
    const { values, asked } = await readAt('/3/0', 11_542, bytes(entries), 'lt=60&lwm2m=1.0&b=U');
    expect(values).toEqual({ '/3/0/0': 'Acme', '/3/0/9': '87' });
    expect(asked?.url).toBe('/3/0');
  });

  it('int-231: in SenML-JSON', async () => {
    const { values, asked } = await readAt('/3/0', 110, json);
    expect([values, asked?.accept]).toEqual([all, 110]);
  });

  it('int-232: in SenML-CBOR', async () => {
    const cbor = bytes(
      `84 a3 21 65 2f332f302f 00 61 30 03 64 41636d65 a2 00 61 39 02 18 57
      a2 00 63 362f30 02 01 a2 00 63 362f31 02 05`.replaceAll('\n', ''),
    );
    const { values, asked } = await readAt('/3/0', 112, cbor);
    expect([values, asked?.accept]).toEqual([all, 112]);
  });
});
