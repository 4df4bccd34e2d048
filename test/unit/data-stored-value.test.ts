import { describe, expect, it } from 'vitest';

import { newestOfEach, storedValue, valueIssue } from '../../src/data/value/stored-value.ts';

const NOW = Date.UTC(2026, 0, 1);
const value = (given: object = {}) => ({
  deviceId: '1',
  pointId: '1',
  rawValue: '1',
  calValue: '1',
  numValue: 1,
  originTime: NOW,
  seq: 0,
  quality: 0 as const,
  ...given,
});

describe('what is stored of a value', () => {
  it('keeps its text and has the number of that text', () => {
    const stored = storedValue(value({ calValue: '21.50', numValue: 99 }), 'DOUBLE', NOW);
    expect(stored).toMatchObject({ calValue: '21.50', numValue: 21.5, quality: 0 });
  });

  it.each([
    ['INT', '1.5'],
    ['BYTE', '200'],
    ['DOUBLE', 'NaN'],
    ['BOOLEAN', '2'],
  ] as const)('is BAD without a number when it is no %s: %s', (type, calValue) => {
    expect(storedValue(value({ calValue }), type, NOW)).toMatchObject({
      calValue,
      numValue: null,
      quality: 2,
    });
  });

  it('is never better than the driver said', () => {
    expect(storedValue(value({ quality: 1 }), 'INT', NOW)).toMatchObject({ quality: 1 });
    expect(storedValue(value({ quality: 2 }), 'INT', NOW)).toMatchObject({
      quality: 2,
      numValue: null,
    });
  });

  it('has the time of reception and is UNCERTAIN when its own is over two minutes ahead', () => {
    const skew = 120_000;
    expect(storedValue(value({ originTime: NOW + skew }), 'INT', NOW)).toMatchObject({
      originTime: NOW + skew,
      claimedTime: null,
      quality: 0,
    });
    expect(storedValue(value({ originTime: NOW + skew + 1 }), 'INT', NOW)).toMatchObject({
      originTime: NOW,
      claimedTime: NOW + skew + 1,
      quality: 1,
    });
  });

  it('is text that every database keeps', () => {
    const stored = storedValue(value({ rawValue: 'a\0\ud800' }), 'STRING', NOW);
    expect(stored.rawValue).toBe('a\uFFFD\uFFFD');
  });
});

describe('the newest of each point', () => {
  it('goes by origin time, then sequence, and comes ordered by key', () => {
    const newest = newestOfEach([
      value({ deviceId: '10', calValue: 'a' }),
      value({ deviceId: '9', calValue: 'late', originTime: NOW - 1, seq: 9 }),
      value({ deviceId: '9', calValue: 'b', seq: 1 }),
      value({ deviceId: '9', calValue: 'c', seq: 0 }),
      value({ deviceId: '10', pointId: '2', calValue: 'd' }),
    ]);
    expect(newest.map(({ calValue }) => calValue)).toEqual(['b', 'a', 'd']);
  });
});

describe('what is wrong with a stored value', () => {
  it.each([
    ['DOUBLE', 'warm', 'BAD', '“warm” is not of the type DOUBLE'],
    ['INT', '1.5', 'BAD', '“1.5” is not of the type INT'],
    ['DOUBLE', '', 'BAD', 'What the device answered is not of the type DOUBLE'],
    ['DOUBLE', '1', 'BAD', 'The driver marked the value as bad'],
    ['DOUBLE', '1', 'UNCERTAIN', 'The time of the device lay ahead; it is the time of reception'],
    ['DOUBLE', '1', 'GOOD', null],
  ] as const)('is said for people: %s %s %s', (type, calValue, quality, issue) => {
    expect(valueIssue(type, { calValue, quality })).toBe(issue);
  });

  it('is a quotation where a driver or a device chose the words', () => {
    const said = (calValue: string, issue?: string) =>
      valueIssue('INT', { calValue, quality: 'BAD', ...(issue === undefined ? {} : { issue }) });
    expect(said('1', 'in doubt” is good.\nThe value is 2')).toBe(
      "“in doubt' is good. The value is 2”",
    );
    expect(said('9” is a good “x')).toBe("“9' is a good 'x” is not of the type INT");
  });
});
