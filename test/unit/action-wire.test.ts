import { describe, expect, it } from 'vitest';

import { wireOf } from '../../src/agentic/action/card/wire.ts';

const FACTS = {
  driver: 'LwM2mDriver (2)',
  profile: '7',
  type: 'DOUBLE',
  base: '0',
  multiple: '0.1',
  decimals: '1',
  'device setting endpoint': 'boiler-2',
  'device setting pskKey': 'secret 2cf24dba5fb0a30e',
  'point setting path': '/3308/0/5900',
};

describe('what a card says of the wire', () => {
  it('is the driver, where the write goes, and the value after scaling, without secrets', () => {
    expect(wireOf(FACTS, '72.5')).toEqual({
      driver: 'LwM2mDriver (2)',
      settings: [
        { name: 'device setting endpoint', value: 'boiler-2' },
        { name: 'device setting pskKey', value: null },
        { name: 'point setting path', value: '/3308/0/5900' },
      ],
      raw: '725',
      scaling: 'raw × 0.1 + 0',
    });
    expect(JSON.stringify(wireOf(FACTS, '72.5'))).not.toContain('2cf24dba');
  });

  it.each([
    ['INT', '2', '7', null],
    ['INT', '2', '8', '4'],
    ['DOUBLE', '0', '8', null],
    ['BOOLEAN', '1', 'true', 'true'],
    ['STRING', '1', 'auto', 'auto'],
  ])('of a %s times %s that should become %s is %s', (type, multiple, value, raw) => {
    const wire = wireOf({ ...FACTS, type, multiple }, value);
    expect(wire?.raw).toBe(raw);
    expect(wire?.scaling === '').toBe(type === 'BOOLEAN' || type === 'STRING');
  });

  it('is not known of a card that kept no facts', () => {
    expect(wireOf({}, '72.5')).toBeNull();
    expect(wireOf({ ...FACTS, type: 'COMPLEX' }, '72.5')).toBeNull();
  });
});
