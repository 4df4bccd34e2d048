import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { systemClock as clock } from '../../src/kernel/clock.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { bytes, openToldDevice, type Said, type Told } from '../support/lwm2m/told-device.ts';

const device = driverDevice({ endpoint: 'urn:dev:1' }, [
  { id: '1', code: 'battery', type: 'INT', configs: { objectId: '3', resourceId: '9' } },
  {
    id: '2',
    code: 'second power source',
    type: 'INT',
    rw: 'READ_WRITE',
    configs: { objectId: '3', resourceId: '6', resourceInstanceId: '1' },
  },
]);
const [, source] = device.points;
const soon = (ms = 5_000) => clock.now() + ms;
const TLV = 11_542;

/** docs/specification/lwm2m.md, LwM2M operations. */
describe('an operation of a custom command', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  async function registered(answer: (told: Told) => Said, version = '1.1', links?: string) {
    const { driver } = await bench.serve([device]);
    const told = await openToldDevice(driver.port(), answer);
    bench.cleanup(() => told.close());
    await told.register(`lt=60&lwm2m=${version}&b=U`, links);
    await bench.reaches(driver, device, 'ONLINE');
    const call = async (configs: Record<string, string>, params = {}, ms = 5_000) =>
      driver.call?.(device, { id: '7', code: 'do', configs }, params, soon(ms));
    return { driver, told, call };
  }
  const shown = ({ method, url, format, payload }: Told) =>
    `${method} ${url} ${format ?? ''} ${format === TLV ? payload.toString('hex') : payload.toString()}`.trim();

  it.each([
    ['replaces an object instance', 'write', 'PUT'],
    ['changes an object instance in part', 'update', 'POST'],
  ])('%s', async (_what, operation, method) => {
    const { told, call } = await registered(() => ({ code: '2.04' }));
    const value = '{"5750":"lamp","5851":50,"5820":1.5,"5850":true,"6":{"0":1,"300":"x"}}';
    await expect(call({ operation, path: '/3311/0' }, { value })).resolves.toEqual({});
    expect(told.heard().map(shown)).toEqual([
      `${method} /3311/0 110 [{"bn":"/3311/0/","n":"5750","vs":"lamp"},{"n":"5851","v":50},{"n":"5820","v":1.5},{"n":"5850","vb":true},{"n":"6/0","v":1},{"n":"6/300","vs":"x"}]`,
    ]);
  });

  it('is written in TLV to a device of 1.0', async () => {
    const { told, call } = await registered(() => ({ code: '2.04' }), '1.0');
    const value = '{"5750":"lamp","5851":50,"5820":1.5,"5850":true,"6":{"0":1,"1":5}}';
    await call({ operation: 'update', path: '/3311/0' }, { value });
    const entries = [
      'e416766c616d70',
      'e116db32',
      'e416bc3fc00000',
      'e116da01',
      '8606410001410105',
    ];
    expect(told.heard().map(shown)).toEqual([`POST /3311/0 11542 ${entries.join('')}`]);
  });

  it('creates an instance of a number of its own', async () => {
    const { told, call } = await registered(() => ({ code: '2.01' }));
    await call({ operation: 'create', path: '/3341/3' }, { value: '{"5527":"Text!"}' });
    expect(told.heard().map(shown)).toEqual([
      'POST /3341 110 [{"bn":"/3341/3/","n":"5527","vs":"Text!"}]',
    ]);
  });

  it('creates an instance that the device numbers, and says where it is', async () => {
    const { told, call } = await registered(() => ({ code: '2.01', location: '/3341/4' }));
    await expect(
      call({ operation: 'create', path: '/3341' }, { value: '{"5527":"Text!"}' }),
    ).resolves.toEqual({ path: '/3341/4' });
    expect(told.heard().map(shown)).toEqual(['POST /3341 11542 e515975465787421']);
  });

  it('names the instance in TLV where the device speaks nothing else', async () => {
    const { told, call } = await registered(({ format }) =>
      format === TLV ? { code: '2.01' } : { code: '4.15' },
    );
    await call({ operation: 'create', path: '/3341/3' }, { value: '{"5527":"Text!"}' });
    expect(told.heard().map(shown).at(-1)).toBe('POST /3341 11542 080308e515975465787421');
  });

  it('deletes an instance', async () => {
    const { told, call } = await registered(() => ({ code: '2.02' }));
    await expect(call({ operation: 'delete', path: '/3341/3' })).resolves.toEqual({});
    expect(told.heard().map(shown)).toEqual(['DELETE /3341/3']);
  });

  it('executes with arguments, and without any sends no byte', async () => {
    const { told, call } = await registered(() => ({ code: '2.04' }));
    await call({ path: '/3/0/4' });
    await call({ path: '/3/0/4' }, { arguments: "2='10.3',3,4='a b'" });
    expect(told.heard().map(shown)).toEqual(['POST /3/0/4', "POST /3/0/4 0 2='10.3',3,4='a b'"]);
  });

  it('writes attributes, and takes one back', async () => {
    const { told, call } = await registered(() => ({ code: '2.04' }));
    await call(
      { operation: 'attributes', path: '/3303/0/5700' },
      { attributes: 'pmin=10&gt=42.5&lt' },
    );
    expect(told.heard().map(shown)).toEqual(['PUT /3303/0/5700?pmin=10&gt=42.5&lt']);
  });

  it('discovers what is there, below the root that the device registered', async () => {
    const links = '</lwm2m>;rt="oma.lwm2m",</lwm2m/3/0>';
    const { told, call } = await registered(
      () => ({
        code: '2.05',
        format: 40,
        payload: '</lwm2m/3/0>;pmin=10,</lwm2m/3/0/1>,</lwm2m/3/0/6>;dim=8;gt=50',
      }),
      '1.1',
      links,
    );
    await expect(call({ operation: 'discover', path: '/3/0' })).resolves.toEqual({
      '/3/0': 'pmin=10',
      '/3/0/1': '',
      '/3/0/6': 'dim=8;gt=50',
    });
    expect(told.heard()).toMatchObject([{ method: 'GET', url: '/lwm2m/3/0', accept: 40 }]);
  });

  it.each([
    [
      'SenML-JSON',
      110,
      Buffer.from('[{"bn":"/3/0/","n":"0","vs":"Acme"},{"n":"9","v":87},{"n":"6/1","v":5}]'),
    ],
    [
      'SenML-CBOR',
      112,
      bytes(
        '83 a3 21 65 2f332f302f 00 61 30 03 64 41636d65 a2 00 61 39 02 18 57 a2 00 63 362f31 02 05',
      ),
    ],
    [
      'the JSON of 1.0',
      11_543,
      Buffer.from('{"bn":"/3/0/","e":[{"n":"0","sv":"Acme"},{"n":"9","v":87},{"n":"6/1","v":5}]}'),
    ],
  ])('reads an object instance in %s', async (_what, format, payload) => {
    const { call } = await registered(({ accept }) =>
      accept === format || accept === null ? { code: '2.05', format, payload } : { code: '4.06' },
    );
    await expect(call({ operation: 'read', path: '/3/0' })).resolves.toEqual({
      '/3/0/0': 'Acme',
      '/3/0/9': '87',
      '/3/0/6/1': '5',
    });
  });

  it('gives bytes where TLV and the points do not say what they are', async () => {
    const payload = bytes('c4 00 41636d65 c1 09 57 86 06 41 00 01 41 01 05');
    const { call } = await registered(() => ({ code: '2.05', format: TLV, payload }), '1.0');
    await expect(call({ operation: 'read', path: '/3/0' })).resolves.toEqual({
      '/3/0/0': '0x41636d65',
      '/3/0/9': '87',
      '/3/0/6/0': '0x01',
      '/3/0/6/1': '5',
    });
  });

  it.each([
    ['another path than was asked for', '/3/1', Buffer.from('[{"n":"/3/0/0","vs":"Acme"}]')],
    [
      'the same value twice',
      '/3/0',
      Buffer.from('[{"n":"/3/0/0","vs":"A"},{"n":"/3/0/0","vs":"B"}]'),
    ],
  ])('takes no answer with %s', async (_what, path, payload) => {
    const { call } = await registered(() => ({ code: '2.05', format: 110, payload }));
    await expect(call({ operation: 'read', path })).rejects.toMatchObject({
      code: 'VALUE_INVALID',
    });
  });

  it.each([
    ['create', { value: '{"1":2}' }, '/3341/0'],
    ['delete', {}, '/3341/0'],
    ['execute', {}, '/3/0/4'],
    ['write', { value: '{"1":2}' }, '/3341/0'],
    ['update', { value: '{"1":2}' }, '/3341/0'],
    ['attributes', { attributes: 'pmin=1' }, '/3303/0/5700'],
    ['write-composite', { value: '{"0":{"1":2}}' }, '/3341'],
  ])(
    '%s is UNKNOWN without an answer and after 5.00, FAILED after 4.05',
    async (operation, params, path) => {
      let said: Said = null;
      const { call } = await registered(() => said);
      const done = (ms: number) => call({ operation, path }, params, ms);
      await expect(done(300)).rejects.toMatchObject({ code: 'TIMEOUT', outcome: 'UNKNOWN' });
      said = { code: '5.00' };
      await expect(done(5_000)).rejects.toMatchObject({
        code: 'DEVICE_REFUSED',
        outcome: 'UNKNOWN',
      });
      said = { code: '4.05' };
      await expect(done(5_000)).rejects.toMatchObject({
        code: 'DEVICE_REFUSED',
        outcome: 'FAILED',
      });
      // A success of another operation proves nothing.
      said = { code: '2.03' };
      await expect(done(5_000)).rejects.toMatchObject({
        code: 'DEVICE_REFUSED',
        outcome: 'UNKNOWN',
      });
    },
  );

  it('may be narrowed by the parameter path, and reaches nothing beside its own path', async () => {
    const { told, call } = await registered(() => ({ code: '2.02' }));
    await call({ operation: 'delete', path: '/3341' }, { path: '/3341/7' });
    expect(told.heard().map(shown)).toEqual(['DELETE /3341/7']);
    await expect(
      call({ operation: 'delete', path: '/3341' }, { path: '/3/0' }),
    ).rejects.toMatchObject({ code: 'VALUE_INVALID', outcome: 'FAILED' });
    expect(told.heard()).toEqual([]);
  });

  it.each([
    [{}, {}, 'UNSUPPORTED'],
    [{ path: '/3/0/4', operation: 'explode' }, {}, 'COMMAND_CONFIG'],
    [{ path: '/3' }, {}, 'COMMAND_CONFIG'],
    [{ path: '/' }, {}, 'COMMAND_CONFIG'],
    [{ path: '/', operation: 'delete' }, {}, 'COMMAND_CONFIG'],
    [{ path: '/', operation: 'write-composite' }, { value: '{"1":2}' }, 'VALUE_INVALID'],
    [{ path: '/3/0/99999' }, {}, 'COMMAND_CONFIG'],
    [{ path: '/3/x' }, {}, 'COMMAND_CONFIG'],
    [{ path: '/3/0', operation: 'update' }, {}, 'VALUE_INVALID'],
    [{ path: '/3/0', operation: 'update' }, { value: '{"a":1}' }, 'VALUE_INVALID'],
    [{ path: '/3/0', operation: 'update' }, { value: '7' }, 'VALUE_INVALID'],
    [{ path: '/3/0', operation: 'update' }, { value: '{"1":[1]}' }, 'VALUE_INVALID'],
    [{ path: '/3/0', operation: 'update' }, { value: '{' }, 'VALUE_INVALID'],
    [{ path: '/3/0/6/1', operation: 'write' }, { value: '{"1":2}' }, 'VALUE_INVALID'],
    [{ path: '/3/0/4', operation: 'attributes' }, { attributes: 'pmin=10&rm' }, 'VALUE_INVALID'],
    [{ path: '/3/0/4', operation: 'execute' }, { arguments: 'rm -rf' }, 'VALUE_INVALID'],
  ])('%j with %j is refused before anything is sent: %s', async (configs, params, code) => {
    const { told, call } = await registered(() => ({ code: '2.04' }));
    await expect(call(configs, params)).rejects.toMatchObject({ code, outcome: 'FAILED' });
    expect(told.heard()).toEqual([]);
  });

  it.each([
    [
      'SenML-JSON',
      '1.1',
      110,
      '[{"bn":"/3/0/6/1","v":5}]',
      'PUT /3/0/6/1 110 [{"bn":"/3/0/6/1","v":7}]',
    ],
    ['TLV', '1.1', TLV, bytes('41 01 05'), 'PUT /3/0/6/1 11542 410107'],
    [
      'TLV within its resource',
      '1.0',
      TLV,
      bytes('86 06 41 00 01 41 01 05'),
      // No path of 1.0 leads to the instance: the others are left as they are.
      'POST /3/0 11542 8306410107',
    ],
    ['text', '1.1', 0, '5', 'PUT /3/0/6/1 0 7'],
  ])(
    'of a point reads and writes one instance of a resource in %s',
    async (_what, version, format, payload, put) => {
      const { driver, told } = await registered(({ method, accept, format: given }) => {
        const is = (given ?? accept ?? format) === format;
        if (method !== 'GET') return { code: is ? '2.04' : '4.15' };
        return is ? { code: '2.05', format, payload } : { code: '4.06' };
      }, version);
      if (!source) throw new Error('no point');
      expect((await driver.read(device, source, soon())).rawValue).toBe('5');
      told.heard();
      await driver.write(device, source, '7', soon());
      expect(told.heard().map(shown).at(-1)).toBe(put);
    },
  );
});
