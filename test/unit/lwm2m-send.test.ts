import { describe, expect, it } from 'vitest';

import type { CoapRequest } from '../../driver/coap/contract.ts';
import { createSends } from '../../driver/lwm2m/observation/send.ts';
import type { Registration } from '../../driver/lwm2m/registration/registration.ts';
import type { Reading } from '../../driver/sdk/driver.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { TestClock } from '../support/world/clock.ts';

const NOW = Date.parse('2026-11-24T12:00:00Z');
const AT = NOW / 1_000 - 60;
const device = driverDevice({ endpoint: 'urn:dev:1' }, [
  { id: '1', code: 'temperature', configs: { objectId: '3303', resourceId: '5700' } },
  { id: '2', code: 'again', configs: { objectId: '3303', resourceId: '5700' } },
  { id: '3', code: 'set', rw: 'WRITE_ONLY', configs: { objectId: '3308', resourceId: '5900' } },
  { id: '4', code: 'reboot', configs: { objectId: '3', resourceId: '4' } },
]);
const registration: Registration = {
  id: 'a',
  endpoint: 'urn:dev:1',
  deviceId: '1',
  peer: { address: '192.0.2.1', port: 5 },
  version: '1.1',
  queueMode: true,
  lifetimeS: 3600,
  expiresAt: NOW + 3_600_000,
  heardAt: NOW,
  contentFormats: [],
  root: [],
  objects: [],
  leftOut: 0,
  objectsAt: 0,
};

function opened({ enabled = true, objects = [''].slice(1), leftOut = 0 } = {}) {
  const reported: [string, Reading][] = [];
  const woken: string[] = [];
  const clock = new TestClock(NOW);
  const sends = createSends({
    registrations: {
      at: ({ port }) => (port === 5 ? { ...registration, objects, leftOut } : undefined),
    },
    queueModeDevices: { spoke: ({ deviceId }) => woken.push(deviceId) },
    host: {
      devices: () => new Map([[device.id, { ...device, enabled }]]),
      report: (_device, point, reading) => reported.push([point.id, reading]),
    },
    clock,
    log: createLog('silent'),
  });
  const send = (records: unknown, given: Partial<CoapRequest> = {}) =>
    sends.answer({
      peer: { address: '192.0.2.1', port: 5 },
      method: 'POST',
      path: ['dp'],
      query: [],
      contentFormat: 110,
      accept: null,
      observe: null,
      payload: Buffer.from(JSON.stringify(records)),
      ...given,
    }).code;
  return { send, reported, woken, close: () => sends.close() };
}
const good = [{ bn: '/3303/0/', n: '5700', t: AT, v: 21.5 }];

describe('a Send', () => {
  it('reaches every point of the resource, and no point that cannot be read', () => {
    const { send, reported, woken, close } = opened();
    const more = [
      { bn: '', n: '/3308/0/5900', t: AT, v: 1 },
      { n: '/3/0/4', t: AT, v: 1 },
    ];
    expect(send([...good, ...more])).toBe(0x44);
    const reading = { rawValue: '21.5', originTime: AT * 1_000 };
    expect(reported).toEqual([
      ['1', reading],
      ['2', reading],
    ]);
    expect(woken).toEqual(['1']);
    close();
  });

  it('in SenML-CBOR is taken too', () => {
    const { send, reported, close } = opened();
    // [{-2: "/3303/0/5700", 2: 21}]
    const name = Buffer.from('/3303/0/5700');
    const payload = Buffer.concat([
      Buffer.from([0x81, 0xa2, 0x21, 0x6c]),
      name,
      Buffer.from([2, 0x15]),
    ]);
    expect(send([], { contentFormat: 112, payload })).toBe(0x44);
    expect(reported.map(([id, { rawValue }]) => [id, rawValue])).toEqual([
      ['1', '21'],
      ['2', '21'],
    ]);
    close();
  });

  it.each<[string, number, Partial<CoapRequest>]>([
    ['4.04 from another peer', 0x84, { peer: { address: '192.0.2.1', port: 6 } }],
    ['4.04 below its path', 0x84, { path: ['dp', '1'] }],
    ['4.05 with another method', 0x85, { method: 'PUT' }],
    ['4.15 in another format', 0x8f, { contentFormat: 11542 }],
    ['4.15 without a format', 0x8f, { contentFormat: null }],
    ['4.00 for no SenML', 0x80, { payload: Buffer.from('{') }],
  ])('is refused with %s', (_why, code, given) => {
    const { send, reported, woken, close } = opened();
    expect(send(good, given)).toBe(code);
    expect([reported, woken]).toEqual([[], []]);
    close();
  });

  it('of an object that the device did not register is refused whole with 4.04', () => {
    const registered = { objects: ['1/0', '3303/0'] };
    const { send, reported, woken, close } = opened(registered);
    const other = { bn: '', n: '/3308/0/5900', t: AT, v: 1 };
    expect(send([...good, other])).toBe(0x84);
    expect([reported, woken]).toEqual([[], []]);
    expect(send(good)).toBe(0x44);
    expect(reported.length).toBe(2);
    close();
    // Of more objects than are stored it is not known which.
    const many = opened({ ...registered, leftOut: 3 });
    expect(many.send([...good, other])).toBe(0x44);
    many.close();
  });

  it('of the same dated values is taken once, of the same ages each time', () => {
    const { send, reported, close } = opened();
    expect([send(good), send(good)]).toEqual([0x44, 0x44]);
    expect(reported.length).toBe(2);
    const ages = [{ n: '/3303/0/5700', t: -5, v: 21 }];
    expect([send(ages), send(ages)]).toEqual([0x44, 0x44]);
    expect(reported.length).toBe(6);
    close();
  });

  it('with a value of another kind than its point takes the others', () => {
    const { send, reported, close } = opened();
    expect(send([{ n: '/3303/0/5700', t: AT, vs: 'warm' }])).toBe(0x44);
    expect(reported).toMatchObject([
      ['1', { invalid: true, issue: 'the device sent text for DOUBLE' }],
      ['2', { invalid: true }],
    ]);
    close();
  });

  it('of a disabled device is answered and not taken', () => {
    const { send, reported, close } = opened({ enabled: false });
    expect(send(good)).toBe(0x44);
    expect(reported).toEqual([]);
    close();
  });
});
