import type { IncomingMessage, OutgoingMessage } from 'coap';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { systemClock as clock } from '../../src/kernel/clock.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { openRawDevice } from '../support/lwm2m/raw-device.ts';

const TLV = Buffer.from([0x2d, 0x16]);
const at = (resourceInstanceId: string, more: Record<string, string> = {}) => ({
  objectId: '3',
  resourceId: '7',
  resourceInstanceId,
  ...more,
});
const points = [
  { id: '1', code: 'first', type: 'INT', configs: at('0') },
  { id: '2', code: 'second', type: 'INT', rw: 'READ_WRITE', configs: at('1') },
  { id: '3', code: 'missing', type: 'INT', configs: at('5') },
] as const;
const device = driverDevice({ endpoint: 'urn:dev:1' }, points);

/** /3/0/7 as a multiple resource: 3800 and the given value, each in two bytes. */
const voltages = (second: number): Buffer =>
  Buffer.from(
    `880708 4200 0ed8 4201 ${second.toString(16).padStart(4, '0')}`.replaceAll(' ', ''),
    'hex',
  );

/** A device that knows paths of three ids at most, and answers others with `code`. */
async function openWholeDevice(port: number, code: string, how: 'tlv' | 'text' = 'tlv') {
  const state = { second: 5000, asked: [] as string[], posted: [] as string[] };
  const serve = (request: IncomingMessage, response: OutgoingMessage): void => {
    const [path = ''] = request.url.split('?');
    state.asked.push(`${request.method} ${path}`);
    if (path === '/3/0' && request.method === 'POST') {
      state.posted.push(request.payload.toString('hex'));
      // 8407 4201 xxxx: the second instance alone.
      state.second = request.payload.readUInt16BE(4);
      response.statusCode = '2.04';
    } else if (path !== '/3/0/7') response.statusCode = code;
    else if (request.method === 'GET' && how === 'text') {
      response.end('3800');
      return;
    } else if (request.method === 'GET') {
      response.setOption('Content-Format', TLV);
      response.end(voltages(state.second));
      return;
    } else
      response.statusCode = request.method === 'PUT' && request.url.includes('?') ? '2.04' : '4.05';
    response.end();
  };
  return { state, raw: await openRawDevice(port, serve) };
}

describe('one instance of a multiple resource', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  async function registered(version: string, code: string, how?: 'text', known = device) {
    const { driver, center } = await bench.serve([known]);
    const { state, raw } = await openWholeDevice(driver.port(), code, how);
    bench.cleanup(() => raw.close());
    const query = ['ep=urn:dev:1', 'lt=3600', 'b=U', `lwm2m=${version}`];
    const links = Buffer.from('</1/0>,</3/0>');
    expect((await raw.post('/rd', { query, format: 40, payload: links })).code).toBe('2.01');
    await bench.reaches(driver, known, 'ONLINE');
    state.asked.length = 0;
    const pointOf = (name: string) => {
      const found = known.points.find((point) => point.code === name);
      if (!found) throw new Error(`no point ${name}`);
      return found;
    };
    const soon = () => clock.now() + 5_000;
    return {
      center,
      state,
      read: async (name: string) => (await driver.read(known, pointOf(name), soon())).rawValue,
      write: (name: string, value: string) => driver.write(known, pointOf(name), value, soon()),
      call: (configs: Record<string, string>) =>
        driver.call?.(known, { id: '7', code: 'do', configs }, {}, soon()),
    };
  }

  it.each([
    ['1.0', '4.00', 0],
    ['1.1', '4.00', 1],
    ['1.1', '4.04', 1],
    ['1.2', '4.05', 1],
  ])('is read of a device of %s that answers its path with %s', async (version, code, tries) => {
    const { read, state } = await registered(version, code);
    expect([await read('first'), await read('second'), await read('first')]).toEqual([
      '3800',
      '5000',
      '3800',
    ]);
    // What the device does not know is asked for once at most.
    expect(state.asked.filter((asked) => asked !== 'GET /3/0/7')).toHaveLength(tries);
  });

  it.each([
    ['1.0', 'does not hold the resource'],
    ['1.1', 'the device answered 4.04'],
  ])('is missing where a device of %s does not have it', async (version, message) => {
    const { read } = await registered(version, '4.04');
    await expect(read('missing')).rejects.toThrow(message);
    await expect(read('first')).resolves.toBe('3800');
  });

  it.each(['1.0', '1.1'])('is not taken from one text of a device of %s', async (version) => {
    const { read } = await registered(version, '4.04', 'text');
    await expect(read('first')).rejects.toThrow(
      version === '1.0' ? 'which instance' : 'the device answered 4.04',
    );
  });

  it('is written alone where no path leads to it, and read back', async () => {
    const { center, state } = await registered('1.0', '4.05');
    const { commandId } = await center.send({ pointId: '2', type: 'WRITE', value: '4711' });
    const result = await center.result(commandId);
    expect(result).toMatchObject({ status: 'SUCCESS', readBack: '4711' });
    expect(state.posted).toEqual(['840742011267']);
    expect(state.asked).not.toContain('PUT /3/0/7');
  });

  it('is read by a command of the device', async () => {
    const { call } = await registered('1.0', '4.00');
    await expect(call({ operation: 'read', path: '/3/0/7/1' })).resolves.toEqual({
      '/3/0/7/1': '5000',
    });
    await expect(call({ operation: 'read', path: '/3/0/7/9' })).rejects.toThrow('4.04');
  });

  it('is reported as the whole resource is', async () => {
    const [first, ...others] = device.points;
    if (!first) throw new Error('no point');
    const configs = { ...first.configs, observe: 'true' };
    const watched = { ...device, points: [{ ...first, configs }, ...others] };
    const { center, state } = await registered('1.0', '4.00', undefined, watched);
    await vi.waitFor(
      () => expect(center.values.map(({ rawValue }) => rawValue)).toContain('3800'),
      20_000,
    );
    expect(state.asked.filter((asked) => asked.includes('/3/0/7/'))).toEqual([]);
  });
});
