import { describe, expect, it } from 'vitest';

import { matches } from '../../src/alarm/condition/condition.ts';
import { Condition } from '../../src/alarm/kind/condition.ts';
import { durationMs, durationWords } from '../../src/alarm/kind/duration.ts';
import { allowing, transitions } from '../../src/alarm/kind/rule-status.ts';

const values = { n: 5, text: 'pump failed', digits: '5.0', on: true, gone: null };

describe('a condition', () => {
  it.each([
    [{ field: 'n', operator: '>', threshold: 4 }, true],
    [{ field: 'n', operator: '>', threshold: 5 }, false],
    [{ field: 'n', operator: '>=', threshold: 5 }, true],
    [{ field: 'n', operator: '<', threshold: 5 }, false],
    [{ field: 'n', operator: '<=', threshold: 5 }, true],
    [{ field: 'n', operator: '==', threshold: 5 }, true],
    [{ field: 'n', operator: '!=', threshold: 5 }, false],
    [{ field: 'digits', operator: '==', threshold: 5 }, true],
    [{ field: 'on', operator: '==', threshold: 1 }, true],
    [{ field: 'n', operator: 'between', low: 5, high: 6 }, true],
    [{ field: 'n', operator: 'between', low: 6, high: 7 }, false],
    [{ field: 'n', operator: 'outside', low: 6, high: 7 }, true],
    [{ field: 'n', operator: 'outside', low: 5, high: 5 }, false],
    [{ field: 'text', operator: 'eq', expected: 'pump failed' }, true],
    [{ field: 'text', operator: '==', expected: 'pump' }, false],
    [{ field: 'text', operator: 'ne', expected: 'pump' }, true],
    [{ field: 'text', operator: '!=', expected: 'pump failed' }, false],
    [{ field: 'text', operator: 'contains', expected: 'fail' }, true],
    [{ field: 'text', operator: 'contains', expected: '^pump' }, false],
    [{ field: 'n', operator: 'exists' }, true],
    [{ field: 'gone', operator: 'exists' }, false],
    [{ field: 'gone', operator: 'missing' }, true],
    [{ field: 'toString', operator: 'missing' }, true],
    [{ operator: 'nodata' }, false],
  ])('%j is %s', (condition, expected) => {
    expect(matches(Condition.parse(condition), values)).toBe(expected);
  });

  it.each([
    { field: 'text', operator: '>', threshold: 4 },
    { field: 'text', operator: 'between', low: 1, high: 2 },
    { field: 'gone', operator: '<', threshold: 4 },
    { field: 'gone', operator: 'ne', expected: 'x' },
    { field: 'constructor', operator: 'ne', expected: 'x' },
  ])('%j says nothing: what it asks for is not there or no number', (condition) => {
    expect(matches(Condition.parse(condition), values)).toBeNull();
  });
});

describe('a duration', () => {
  it.each([
    ['PT0S', 0],
    ['PT15S', 15_000],
    ['PT1H2M3S', 3_723_000],
    ['P1DT1S', 86_401_000],
    ['P2D', 172_800_000],
    ['P', null],
    ['PT', null],
    ['P1DT', null],
    ['P1M', null],
    ['-PT1S', null],
    ['1 minute', null],
  ])('%s is %s ms', (text, ms) => {
    expect(durationMs(text)).toBe(ms);
  });
});

describe('a duration in words', () => {
  it.each([
    ['PT10M', '10 min'],
    ['P1DT12H', '1 d 12 h'],
    ['PT1H0M5S', '1 h 5 s'],
    ['PT0S', 'PT0S'],
    ['soon', 'soon'],
  ])('of %s is %s', (text, words) => expect(durationWords(text)).toBe(words));
});

describe('the states of a rule', () => {
  it('are a table in which each begins with a match and ends closed', () => {
    expect(transitions).toEqual({
      PENDING: { fire: 'FIRING', lapse: 'CLOSED' },
      FIRING: { recover: 'RECOVERED', close: 'CLOSED' },
      RECOVERED: { match: 'PENDING', close: 'CLOSED' },
      CLOSED: { match: 'PENDING' },
    });
    expect(allowing('match')).toEqual([2, 3]);
    expect(allowing('fire')).toEqual([0]);
    expect(allowing('recover')).toEqual([1]);
  });
});
