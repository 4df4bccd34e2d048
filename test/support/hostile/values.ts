import type { Random } from './random.ts';

const nested = (depth: number): unknown => {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

/** Values that make databases, parsers and careless code fail; none names an id of others. */
const VALUES: readonly (() => unknown)[] = [
  () => 'a\0b',
  () => '\ud800',
  () => 'x\udc00y',
  () => '\\',
  () => '%_\\',
  () => "' or 1=1 --",
  () => '$1',
  () => '${7*7}{{7*7}}',
  () => '<script>alert(1)</script>',
  () => '../../etc/passwd',
  () => 'a\r\nSet-Cookie: x=1',
  () => '\u202Egnp.exe',
  () => '👩‍👩‍👧'.repeat(50),
  () => 'ﷺ'.repeat(500),
  () => '9223372036854775808',
  () => '-9223372036854775809',
  () => '99999999999999999999999999999999',
  () => '-1',
  () => '0',
  () => '0x10',
  () => '1e3',
  () => ' 1 ',
  () => '１２',
  () => 'NaN',
  () => 'Infinity',
  () => 1.5,
  () => 1e308,
  () => -1e308,
  () => 5e-324,
  () => -0,
  () => 2 ** 31,
  () => -(2 ** 31) - 1,
  () => 2 ** 53,
  () => 2 ** 63,
  () => 32_768,
  () => null,
  () => true,
  () => false,
  () => '',
  () => ' ',
  () => [],
  () => [[]],
  () => ['1', '2'],
  () => [null],
  () => Array.from({ length: 600 }, (_, index) => String(index + 4_000_000_000)),
  () => ({}),
  () => ({ a: '\0' }),
  () => ({ $gt: '' }),
  () => ({ toString: 'x', valueOf: 'x', length: 1e9 }),
  () => JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": {"prototype": {}}}'),
  () => '2026-99-99',
  () => '+275760-09-13T00:00:00Z',
  () => '-000001-01-01T00:00:00Z',
  () => '0000-00-00T00:00:00Z',
  () => 8.64e15 + 1,
  () => 'x'.repeat(5_000),
  () => 'x'.repeat(70_000),
  () => ({ current: 1e15, size: 1e15 }),
  () => ({ current: 0, size: -1 }),
  () => ({ current: '1', size: 1.5 }),
  () => nested(60),
  () => nested(3_000),
  () => 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!',
  () => '00000000-0000-0000-0000-000000000000',
  () => 'javascript:alert(1)',
  () => 'http://127.0.0.1:1/',
  () => 'file:///etc/passwd',
];

export const hostileValue = (random: Random): unknown => random.pick(VALUES)();

/** A value near `value`: cut, doubled, of another type, or something hostile. */
export function mutated(random: Random, value: unknown): unknown {
  if (random.chance(0.55)) return hostileValue(random);
  if (typeof value === 'string') return mutatedText(random, value);
  if (typeof value === 'number') {
    return random.pick([-value, value + 0.5, value * 1e9, String(value), [value], value - 1]);
  }
  if (typeof value === 'boolean') return random.pick([String(value), Number(value), [value]]);
  if (Array.isArray(value)) {
    return random.chance(0.5)
      ? [...value, hostileValue(random)]
      : value.map((item) => (random.chance(0.5) ? mutated(random, item) : item));
  }
  if (typeof value === 'object' && value !== null) return mutatedFields(random, value, 1);
  return hostileValue(random);
}

/** Unit by unit, so that characters break. */
export const reversed = (text: string): string => text.split('').toReversed().join('');

export function mutatedText(random: Random, text: string): string {
  const at = random.upTo(text.length + 1);
  const piece = random.pick(['\0', '\ud83d', '"', "'", '\\', '%', ' ', '\n', '-', '\u0301', '٣']);
  return random.pick([
    `${text.slice(0, at)}${piece}${text.slice(at)}`,
    text.slice(0, at),
    text.repeat(2),
    text.toUpperCase(),
    reversed(text),
    `${text.slice(0, at)}${String.fromCharCode(random.upTo(65_536))}${text.slice(at + 1)}`,
  ]);
}

/** `record` with some fields changed, left out or added. */
export function mutatedFields(random: Random, record: object, changes: number): object {
  const entries: [string, unknown][] = Object.entries(record);
  for (let change = 0; change < changes; change += 1) {
    const at = random.upTo(entries.length + 1);
    const entry = entries[at];
    if (!entry) entries.push([odd(random), hostileValue(random)]);
    else if (random.chance(0.08)) entries.splice(at, 1);
    else entries[at] = [entry[0], mutated(random, entry[1])];
  }
  return Object.fromEntries(entries);
}

const odd = (random: Random): string =>
  random.pick(['__proto__', 'constructor', 'tenantId', 'id', 'toString', '', 'a.b', 'a[b]', '\0']);

/** As `JSON.stringify`, also of what JSON has no word for. */
export const jsonOf = (value: unknown): string => JSON.stringify(value) ?? 'null';
