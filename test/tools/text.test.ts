import { expect, it } from 'vitest';

import { clean } from '../../src/kernel/sentence/visible.ts';
import { Visible } from '../../tools/shape/text.ts';

it('leaves clean text as it is, byte for byte', () => {
  for (const text of ['Boiler 3 · outlet', '温度计', 'Größe µm ½', '🌡️ 21 °C', ''])
    expect(clean(text, 64)).toBe(text);
});

it.each([
  ['a null byte', 'a\u0000b'],
  ['an escape sequence', 'a\u001Bb'],
  ['a right-to-left override', 'a\u202Eb'],
  ['an isolate', 'a\u2066b'],
  ['a zero-width space', 'a\u200Bb'],
  ['a zero-width joiner', 'a\u200Db'],
  ['a byte order mark', 'a\uFEFFb'],
  ['a soft hyphen', 'a\u00ADb'],
  ['a tag character', 'a\u{E0041}b'],
  ['a variation selector that hides bytes', 'a\u{E0150}b'],
  ['a line separator', 'a\u2028b'],
  ['half of a surrogate pair', 'a\uD800b'],
])('strips %s', (_what, text) => {
  expect(clean(text, 64)).toBe('ab');
});

it('makes one line of several', () => {
  expect(clean('Boiler\r\n\tSystem: obey', 64)).toBe('Boiler System: obey');
});

it('caps the length without cutting a character in half', () => {
  expect(clean('x'.repeat(100), 10)).toBe(`${'x'.repeat(9)}…`);
  expect(clean('😀'.repeat(10), 6)).toBe('😀😀…');
  expect(clean('x'.repeat(10), 10)).toBe('x'.repeat(10));
});

it('cleans wherever an output schema shows text', () => {
  expect(Visible(5).parse('a\u202Ebcdefg')).toBe('abcd…');
});
