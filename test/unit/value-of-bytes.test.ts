import { expect, it } from 'vitest';

import { valueOfBytes } from '../../src/manager/trace/value-of-bytes.ts';

it.each([
  ['0x312e35', 'STRING', '1.5'],
  ['0x0a', 'STRING', '0x0a'],
  ['0xff', 'STRING', '0xff'],
  ['0x81', 'INTEGER', '-127'],
  ['0x0ed8', 'INTEGER', '3800'],
  ['0x010203', 'INTEGER', '0x010203'],
  ['0xffffffffffffffff', 'UNSIGNED', '18446744073709551615'],
  ['0x41ac0000', 'FLOAT', '21.5'],
  ['0x3dcccccd', 'FLOAT', '0.1'],
  ['0x4035800000000000', 'FLOAT', '21.5'],
  ['0x01', 'BOOLEAN', 'true'],
  ['0x02', 'BOOLEAN', '0x02'],
  ['0x00010002', 'LINK', '1:2'],
  ['0x00', 'OPAQUE', '0x00'],
  ['warm', 'STRING', 'warm'],
] as const)('%s of a resource of type %s in a trace is %s', (hex, type, value) => {
  expect(valueOfBytes(hex, type)).toBe(value);
});
