import { describe, expect, it } from 'vitest';

import { topics } from '../../src/bus/topic/topics.ts';

const attribute = {
  code: 'host',
  name: 'Host',
  type: 'STRING',
  defaultValue: '',
  description: 'where it is',
};
const registration = {
  driverCode: 'AnyDriver',
  driverName: 'Any Driver',
  driverType: 'DRIVER_CLIENT',
  serviceName: 'svc-driver-any',
  serviceHost: '127.0.0.1',
  node: 'n1',
  driverAttributes: [attribute],
  pointAttributes: [],
};
const state = {
  driverCode: 'AnyDriver',
  node: 'n1',
  at: 1,
  leaseMs: 45_000,
  devices: [],
};
const takes = (topic: 'svc.e.driver_register' | 'svc.e.state', payload: object): boolean =>
  topics[topic].payload.safeParse(payload).success;

describe('what the database cannot keep is no message', () => {
  it.each(['driverCode', 'driverName', 'serviceName', 'serviceHost', 'node'])(
    'NUL in the %s of a driver',
    (field) => {
      expect(takes('svc.e.driver_register', registration)).toBe(true);
      expect(takes('svc.e.driver_register', { ...registration, [field]: 'a\0b' })).toBe(false);
    },
  );

  it.each(['code', 'name', 'defaultValue', 'description'])(
    'broken Unicode in the %s of an attribute',
    (field) => {
      const driverAttributes = [{ ...attribute, [field]: 'a\ud800' }];
      expect(takes('svc.e.driver_register', { ...registration, driverAttributes })).toBe(false);
    },
  );

  it.each([
    ['a time beyond all dates', { at: 8.64e15 + 1 }],
    ['a lease beyond all patience', { leaseMs: 8.64e15 }],
  ])('%s', (_what, change) => {
    expect(takes('svc.e.state', state)).toBe(true);
    expect(takes('svc.e.state', { ...state, ...change })).toBe(false);
  });
});
