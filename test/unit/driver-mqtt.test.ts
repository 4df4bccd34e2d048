import { describe, expect, it } from 'vitest';

import { binaryBytes, binaryText } from '../../driver/mqtt/broker/payload.ts';
import { filled, filterOf, matches } from '../../driver/mqtt/broker/topic.ts';
import { at, jsonPath, parseJson, textOf } from '../../driver/report/json.ts';
import { Shares } from '../../driver/report/shares.ts';
import { timeOf } from '../../driver/report/time.ts';

describe('a path', () => {
  it.each([
    ['$', '{"a":1}', null],
    ['$.a', '{"a":9223372036854775807}', '9223372036854775807'],
    ['$.a[1]["b c"]', '{"a":[0,{"b c":true}]}', 'true'],
    ['$.a.length', '{"a":"xyz"}', null],
    ['$.__proto__', '{}', null],
  ])('%s finds the exact text', (path, message, text) => {
    expect(textOf(at(parseJson(message), jsonPath(path) ?? []))).toBe(text);
  });

  it.each(['a', '$a', '$..a', '$.a[', '$[-1]', '$.a[*]'])('%s is refused', (path) => {
    expect(jsonPath(path)).toBeNull();
  });
});

it.each([
  ['2026-11-29T08:00:00Z', 1_795_939_200_000],
  ['2026-11-29T09:00:00.250+01:00', 1_795_939_200_250],
  ['1795939200', 1_795_939_200_000],
  ['1795939200.5', 1_795_939_200_500],
  ['1795939200250', 1_795_939_200_250],
  ['1795939200250999', 1_795_939_200_250],
  ['1795939200250999999', 1_795_939_200_250],
  ['2026-11-29T08:00:00', null],
  ['yesterday', null],
  ['0001-01-01T00:00:00Z', null],
  ['2026-13-01T00:00:00Z', null],
  ['12', null],
])('the time %s is %s', (text, time) => expect(timeOf(text)).toBe(time));

describe('a topic', () => {
  it.each([
    ['a/+/c', 'a/b/c', true],
    ['a/#', 'a', true],
    ['a/#', 'a/b/c', true],
    ['#', '$SYS/x', false],
    ['a/b', 'a/b/c', false],
    ['a/+', 'a', false],
  ])('%s matches %s: %s', (filter, topic, is) => expect(matches(filter, topic)).toBe(is));

  it.each(['', 'a/#/b', 'a+/b', '$share/g/a', 'a\0'])('"%s" is refused', (filter) => {
    expect(() => filterOf('topic', filter)).toThrow(/is no topic/);
  });

  it('takes no name that would be another topic', () => {
    expect(filled('${device}/t', { device: 'press 7' })).toBe('press 7/t');
    expect(() => filled('${device}/t', { device: '#' })).toThrow(/is no part/);
    expect(() => filled('${nobody}/t', {})).toThrow(/stands for nothing/);
  });
});

describe('a number in bytes', () => {
  const place = { offset: 1, byteOrder: 'little' } as const;

  it.each([
    ['int8', '-128'],
    ['uint16', '65535'],
    ['int32', '-2147483648'],
    ['uint64', '18446744073709551615'],
    ['float32', '21.3'],
    ['float64', '0.1'],
  ] as const)('%s %s is written and read', (format, text) => {
    expect(binaryText(binaryBytes(text, { format, ...place }), { format, ...place })).toBe(text);
  });

  it('that is not there or does not fit is none', () => {
    expect(binaryText(Buffer.from([1]), { format: 'int8', ...place })).toBeNull();
    expect(() => binaryBytes('256', { format: 'uint8', ...place })).toThrow(/no uint8/);
  });
});

it('a tenant that sends without end leaves the others their share', () => {
  const shares = new Shares();
  let goes = 0;
  const go = (): void => void (goes += 1);
  shares.take('1', 20_000);
  shares.whenRoom('1', go);
  shares.whenRoom('2', go);
  expect(goes).toBe(1);
  shares.free('1', 20_000);
  expect(goes).toBe(2);
});
