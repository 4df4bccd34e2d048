import { describe, expect, it } from 'vitest';

import { BodiesUnderWay } from '../../src/kernel/request/bodies-under-way.ts';

describe('bytes of bodies under way', () => {
  const open = () => new BodiesUnderWay({ source: 10, tenant: 20, all: 30 });

  it('are bounded for a source, a tenant and all together, so that none takes the place of others', () => {
    const bodies = open();
    bodies.hold({ source: 'a', tenantId: '1' }).add(10);
    expect(() => bodies.hold({ source: 'a', tenantId: '2' }).add(1)).toThrow('Too many bytes');
    bodies.hold({ source: 'b', tenantId: '1' }).add(10);
    expect(() => bodies.hold({ source: 'c', tenantId: '1' }).add(1)).toThrow('Too many bytes');
    bodies.hold({ source: 'c', tenantId: '2' }).add(10);
    expect(() => bodies.hold({ source: 'd' }).add(1)).toThrow('Too many bytes');
  });

  it('are given back once, and what was refused was never taken', () => {
    const bodies = open();
    const held = bodies.hold({ source: 'a' });
    held.add(8);
    expect(() => held.add(8)).toThrow('Too many bytes');
    expect(bodies.total).toBe(8);
    held.release();
    held.release();
    expect(bodies.total).toBe(0);
    bodies.hold({ source: 'a' }).add(10);
  });
});
