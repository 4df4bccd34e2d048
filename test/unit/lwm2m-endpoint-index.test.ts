import { describe, expect, it } from 'vitest';

import { createEndpointIndex } from '../../driver/lwm2m/security/endpoint-index.ts';

describe('an endpoint name', () => {
  const device = (id: string, endpoint: string, more: Claimed = {}) => {
    const { number = id, tenantId = id, proven = false } = more;
    return { id, tenantId, claim: endpoint === '' ? null : { endpoint, number, proven } };
  };
  type Claimed = { number?: string; tenantId?: string; proven?: boolean };

  it('belongs to the device of its newest claim, whichever is announced first', () => {
    for (const order of [
      ['5', '3'],
      ['3', '5'],
    ]) {
      const index = createEndpointIndex();
      for (const id of order) index.changed(device(id, 'dev-1'));
      expect(index.inClear('dev-1')).toBe('5');
      expect(index.endpointOf('3')).toBeNull();
    }
  });

  it('is said to have changed hands, so that the registration of its former device ends', () => {
    const index = createEndpointIndex();
    expect(index.changed(device('3', 'dev-1'))).toEqual([]);
    expect(index.changed(device('5', 'dev-1'))).toEqual(['3']);
    expect(index.changed(device('5', 'dev-2', { number: '6' }))).toEqual(['5']);
    expect([index.inClear('dev-1'), index.inClear('dev-2')]).toEqual([null, '5']);
    expect(index.removed('5')).toEqual(['5']);
    expect(index.inClear('dev-2')).toBeNull();
  });

  it('is of a device in each tenant where keys are proven, and of one of them in clear', () => {
    for (const order of [
      ['3', '5', '7'],
      ['7', '5', '3'],
    ]) {
      const index = createEndpointIndex();
      for (const id of order) index.changed(device(id, 'dev-1', { proven: id !== '5' }));
      expect(index.ownersOf('dev-1')).toEqual(order);
      expect(index.inClear('dev-1')).toBe('5');
      expect(index.changed(device('5', ''))).toEqual(['5']);
      expect(index.inClear('dev-1')).toBeNull();
      expect(index.endpointOf('7')).toBe('dev-1');
    }
  });

  it('is of one device in a tenant, whether it proves a key or not', () => {
    const index = createEndpointIndex();
    index.changed(device('3', 'dev-1', { tenantId: '1', proven: true }));
    expect(index.changed(device('5', 'dev-1', { tenantId: '1' }))).toEqual(['3']);
    expect(index.changed(device('3', 'dev-1', { tenantId: '1', proven: true }))).toEqual([]);
    expect(index.ownersOf('dev-1')).toEqual(['5']);
  });

  it('that came to count in clear elsewhere ends that of a device with an older claim', () => {
    const index = createEndpointIndex();
    index.changed(device('3', 'dev-1', { proven: true }));
    index.changed(device('5', 'dev-1'));
    expect(index.changed(device('3', 'dev-1', { number: '6' }))).toEqual(['5']);
    expect(index.changed(device('5', 'dev-1'))).toEqual([]);
    expect(index.inClear('dev-1')).toBe('3');
  });

  it('is given by the platform only: a device without a claim has none', () => {
    const index = createEndpointIndex();
    index.changed(device('5', ''));
    expect([index.inClear(''), index.endpointOf('5')]).toEqual([null, null]);
  });
});
