import { describe, expect, it } from 'vitest';

import { matches } from '../../src/alarm/condition/condition.ts';
import { Condition } from '../../src/alarm/kind/condition.ts';
import { Content } from '../../src/alarm/kind/rule-ext.ts';
import { doubtsIn, senselessIn } from '../../src/alarm/validation/sense.ts';
import type { Watches } from '../../src/alarm/validation/wrong.ts';

type Type = Watches['type'];
const number = (operator: string, threshold: number, field = 'value') => ({
  field,
  operator,
  threshold,
});
const text = (operator: string, expected: string, field = 'value') => ({
  field,
  operator,
  expected,
});
const range = (operator: string, low: number, high: number) => ({
  field: 'value',
  operator,
  low,
  high,
});
const there = (operator: string, field: string) => ({ field, operator });
const over = (operator: string, threshold: number) => ({ operator, threshold });
const wrongIn = (content: object, watches: Watches) =>
  senselessIn(Content.parse({ window: { duration: 'PT10M' }, ...content }), watches);
const point = (type: Type): Watches => ({ target: 'POINT', type });

describe('a rule on a point', () => {
  it.each<[Type, object, string]>([
    [
      'DOUBLE',
      number('>', 90, 'temprature'),
      'no field “temprature”; write one of value, calValue',
    ],
    ['DOUBLE', number('>', 90, 'calVaule'), 'did you mean “calValue”?'],
    ['DOUBLE', number('>', 90, 'statusName'), 'no field “statusName”'],
    ['DOUBLE', there('exists', 'heat'), 'no field “heat”'],
    [null, number('>', 90, 'temprature'), 'no field “temprature”'],
    ['DOUBLE', text('eq', 'hot'), 'value is a number, and “hot” is none'],
    ['FLOAT', text('!=', 'hot', 'calValue'), 'calValue is a number, and “hot” is none'],
    ['DOUBLE', text('contains', 'hot'), 'has no “hot” in it'],
    [null, text('eq', 'hot', 'numValue'), 'numValue is a number'],
    ['INT', number('==', 21.5), 'never == 21.5'],
    ['INT', text('eq', '21.5'), 'never eq 21.5'],
    ['INT', range('between', 1.2, 1.8), 'never between 1.2 and 1.8'],
    ['BYTE', number('>', 300), 'from -128 to 127: it is never > 300'],
    ['BYTE', range('outside', -200, 200), 'never outside'],
    ['SHORT', number('<', -32_768), 'never < -32768'],
    ['FLOAT', number('>', 1e39), 'never'],
    ['BOOLEAN', text('eq', 'on'), 'never eq “on”; it is one of true, false'],
    ['BOOLEAN', text('ne', 'ture'), 'it is one of true, false'],
    ['BOOLEAN', text('contains', 'hot', 'calValue'), 'it is one of true, false'],
    ['BOOLEAN', number('==', 2, 'calValue'), 'it is one of true, false'],
    ['BOOLEAN', number('>', 1), 'it is one of true, false'],
    ['STRING', number('>', 90, 'numValue'), 'compare value instead'],
    ['STRING', there('exists', 'numValue'), 'compare value instead'],
    ['DOUBLE', text('eq', 'BADD', 'quality'), 'it is one of GOOD, UNCERTAIN, BAD'],
    ['DOUBLE', number('>', 1, 'quality'), 'it is one of GOOD, UNCERTAIN, BAD'],
    ['DOUBLE', there('missing', 'quality'), 'never missing'],
    ['DOUBLE', number('>', 1, 'createTime'), 'createTime is a time'],
    ['DOUBLE', text('eq', 'boiler', 'deviceId'), 'write its digits'],
  ])('of type %s with %j is refused: %s', (type, condition, why) => {
    const wrong = wrongIn({ condition }, point(type));
    expect(wrong?.at).toMatch(/^condition/);
    expect(wrong?.why).toContain(why);
  });

  it.each<[Type, object]>([
    ['DOUBLE', number('>', 90)],
    ['DOUBLE', text('==', '21.50')],
    ['DOUBLE', text('contains', '9.')],
    ['DOUBLE', text('ne', 'GOOD', 'quality')],
    ['DOUBLE', there('missing', 'value')],
    ['INT', range('between', 1.2, 2.8)],
    ['INT', number('>=', 2_147_483_647)],
    ['BYTE', number('>', 300, 'rawValue')],
    ['BOOLEAN', text('==', 'true')],
    ['BOOLEAN', text('eq', '1', 'calValue')],
    ['BOOLEAN', number('==', 1, 'calValue')],
    ['BOOLEAN', text('eq', 'ON', 'rawValue')],
    ['STRING', number('>', 90)],
    ['STRING', text('eq', 'hot')],
    ['STRING', there('missing', 'numValue')],
    [null, text('eq', 'hot')],
    [null, number('==', 2)],
  ])('of type %s with %j is taken', (type, condition) => {
    expect(wrongIn({ condition }, point(type))).toBeNull();
  });
});

describe('a window', () => {
  const come = (mode: string, more: object = {}) => ({ mode, duration: 'PT10M', ...more });
  const hot = number('>', 90);
  it.each<[Type, object, object, string, string]>([
    ['DOUBLE', come('MEAN', { duration: undefined }), hot, 'window.duration', 'write PT10M'],
    ['DOUBLE', come('MEAN', { duration: 'PT0S' }), hot, 'window.duration', 'write PT10M'],
    ['DOUBLE', come('MEAN', { per: 'PT1H' }), hot, 'window.per', 'leave per out'],
    ['DOUBLE', come('RATE', { per: 'PT0S' }), hot, 'window.per', 'write PT1H'],
    ['DOUBLE', come('LAST', { hold: 'PT1H' }), hot, 'window.hold', 'must match for duration'],
    ['DOUBLE', come('SUM'), { operator: 'nodata' }, 'condition', 'SUM is a number'],
    ['DOUBLE', come('MIN'), there('missing', 'value'), 'condition', 'MIN is a number'],
    ['DOUBLE', come('MAX'), text('eq', '5'), 'condition', 'MAX is a number'],
    ['DOUBLE', come('MAX'), number('>', 5, 'rawValue'), 'condition.field', 'write value'],
    ['DOUBLE', come('MAX'), number('>', 5, 'quality'), 'condition.field', 'write value'],
    ['STRING', come('MAX'), hot, 'window.mode', 'has no numbers'],
    ['BYTE', come('MEAN'), number('>', 300), 'condition', 'from -128 to 127'],
    ['BOOLEAN', come('MEAN'), number('>', 1), 'condition', 'from 0 to 1'],
    ['DOUBLE', come('COUNT', { minSamples: 3 }), number('<', 3), 'condition', 'from 3 to'],
    ['BOOLEAN', come('SUM'), number('<', 0), 'condition', 'from 0 to'],
  ])('of type %s, %j with %j is refused at %s', (type, window, condition, at, why) => {
    const wrong = wrongIn({ window, condition }, point(type));
    expect(wrong?.at).toBe(at);
    expect(wrong?.why).toContain(why);
  });

  it.each<[Type, object, object]>([
    ['DOUBLE', come('MEAN'), hot],
    ['INT', come('MEAN'), number('==', 0.5)],
    ['BYTE', come('SUM'), number('>', 300)],
    ['BYTE', come('DELTA', { hold: 'PT5M', minSamples: 2 }), number('<', -200)],
    ['BOOLEAN', come('MEAN'), number('>=', 0.75)],
    ['DOUBLE', come('RATE', { per: 'PT1M' }), range('outside', -2, 2)],
    [null, come('COUNT'), hot],
    ['DOUBLE', { mode: 'LAST', duration: 'PT5M', minSamples: 'many' }, hot],
  ])('of type %s, %j with %j is taken', (type, window, condition) => {
    expect(wrongIn({ window, condition }, point(type))).toBeNull();
  });

  it('is one of points', () => {
    const watches: Watches = { target: 'DEVICE', type: null };
    const condition = text('eq', 'OFFLINE', 'statusName');
    expect(wrongIn({ window: come('COUNT'), condition }, watches)?.why).toContain('write LAST');
  });

  it.each([0, 1.5, 'many', 10_001])('with minSamples %j is none', (minSamples) => {
    const content = { window: come('MEAN', { minSamples }), condition: hot };
    expect(Content.safeParse(content).success).toBe(false);
  });
});

describe('a hold time', () => {
  const hot = { condition: number('>', 90) };
  const hours = (start: string, end: string, more: object = {}) => ({ start, end, ...more });
  const work = [1, 2, 3, 4, 5];

  it.each<[string, object, object[]]>([
    ['PT10M', { mode: 'LAST' }, [hours('22:00', '22:05')]],
    ['PT9H', { mode: 'LAST' }, [hours('22:00', '06:00')]],
    ['PT10H', { mode: 'LAST' }, [hours('08:00', '12:00'), hours('13:00', '17:00')]],
    ['P2D', { mode: 'LAST' }, [hours('00:00', '00:00', { daysOfWeek: [6] })]],
    ['PT10M', { mode: 'MEAN' }, [hours('22:00', '22:05')]],
  ])('of %s, %j within %j never passes', (length, { mode }: { mode?: string }, schedule) => {
    const window =
      mode === 'LAST' ? { mode, duration: length } : { mode, duration: 'PT10M', hold: length };
    const wrong = wrongIn({ ...hot, window, schedule }, point('DOUBLE'));
    expect(wrong?.at).toMatch(/^window\./);
    expect(wrong?.why).toContain('never passes');
  });

  it.each<[string, object[]]>([
    ['PT8H', [hours('22:00', '06:00')]],
    ['PT8H', [hours('08:00', '12:00'), hours('12:00', '17:00')]],
    [
      'P1DT12H',
      [hours('12:00', '00:00', { daysOfWeek: [7] }), hours('00:00', '00:00', { daysOfWeek: [1] })],
    ],
    ['P5D', [hours('00:00', '00:00', { daysOfWeek: work })]],
    ['P20D', [hours('00:00', '00:00')]],
    [
      'PT9H',
      [
        hours('22:00', '06:00', { timezone: 'UTC' }),
        hours('00:00', '01:00', { timezone: 'Asia/Tokyo' }),
      ],
    ],
  ])('of %s within %j may pass', (duration, schedule) => {
    const window = { mode: 'LAST', duration };
    expect(wrongIn({ ...hot, window, schedule }, point('DOUBLE'))).toBeNull();
  });

  it('with a longest gap of no time never passes', () => {
    const window = { mode: 'LAST', duration: 'PT5M', maxGap: 'PT0S' };
    expect(wrongIn({ ...hot, window }, point('DOUBLE'))?.at).toBe('window.maxGap');
  });
});

describe('what a preview warns of', () => {
  it.each<[Type, object, string[]]>([
    ['STRING', number('>', 90), ['TEXT']],
    ['STRING', range('between', 1, 2), ['TEXT']],
    ['STRING', text('eq', '90'), []],
    ['BOOLEAN', number('>=', 0), ['EVERY']],
    ['BYTE', number('<', 200), ['EVERY']],
    ['INT', number('!=', 1.5), ['EVERY']],
    ['INT', number('!=', 1), []],
    ['DOUBLE', number('>', 90), []],
    ['DOUBLE', { operator: 'nodata' }, []],
  ])('of type %s with %j is %j', (type, condition, doubts) => {
    const content = Content.parse({ condition, window: { duration: 'PT10M' } });
    expect(wrongIn({ condition }, point(type))).toBeNull();
    expect(doubtsIn(content, point(type))).toEqual(doubts);
  });
});

describe('a recovery', () => {
  const holds = 'still meets the condition';
  it.each<[Type, object, object, string]>([
    ['DOUBLE', number('>', 90), over('>', 95), `what is > 95 ${holds}`],
    ['DOUBLE', number('>', 90), over('<', 95), 'would fire and be over by turns'],
    ['DOUBLE', number('>=', 90), over('>=', 90), 'every value that fires is >= 90 too'],
    ['DOUBLE', number('>', 90), over('>=', 0), 'every value that fires is >= 0 too'],
    ['DOUBLE', number('<', 10), over('<', 5), holds],
    ['DOUBLE', number('<', 10), over('>', 5), 'by turns'],
    ['DOUBLE', number('==', 1), over('==', 1), 'every value that fires'],
    ['DOUBLE', number('!=', 1), over('==', 2), holds],
    ['DOUBLE', range('between', 10, 20), over('>', 15), 'by turns'],
    ['DOUBLE', range('outside', 10, 20), over('>', 25), holds],
    ['DOUBLE', there('exists', 'value'), over('>', 25), holds],
    ['BOOLEAN', text('eq', 'true'), over('==', 1), 'every value that fires'],
    ['BOOLEAN', number('==', 1), over('==', 2), 'it would never be over'],
    ['BYTE', number('>', 100), over('<', -200), 'it would never be over'],
    [null, number('>', 90), over('>', 95), holds],
    ['DOUBLE', { operator: 'nodata' }, over('>', 5), 'leave operator and threshold out'],
  ])('of type %s, %j with %j contradicts: %s', (type, condition, recovery, why) => {
    const wrong = wrongIn({ condition, recovery }, point(type));
    expect(wrong?.at).toBe('recovery');
    expect(wrong?.why).toContain(why);
    const never = { ...recovery, enabled: false };
    expect(wrongIn({ condition, recovery: never }, point(type))).toBeNull();
  });

  it.each<[Type, object, object]>([
    ['DOUBLE', number('>', 90), over('<', 85)],
    ['DOUBLE', number('>', 90), over('<=', 90)],
    ['DOUBLE', number('>=', 90), over('<=', 90)],
    ['DOUBLE', number('==', 1), over('!=', 1)],
    ['DOUBLE', range('between', 10, 20), over('>', 20)],
    ['DOUBLE', range('outside', 10, 20), over('<', 19)],
    ['DOUBLE', there('missing', 'value'), over('>', 0)],
    ['BOOLEAN', number('==', 1), over('<', 0.5)],
    ['STRING', text('eq', 'on'), over('==', 0)],
    ['DOUBLE', { field: 'value', operator: 'nodata' }, over('>', 5)],
  ])('of type %s, %j with %j is taken', (type, condition, recovery) => {
    expect(wrongIn({ condition, recovery }, point(type))).toBeNull();
  });
});

describe('a rule on devices, drivers and events', () => {
  it.each<[Watches['target'], object, string]>([
    ['DEVICE', text('eq', 'OFLINE', 'statusName'), 'it is one of ONLINE, '],
    ['DEVICE', text('eq', 'OFFLINE', 'status'), 'it is one of online, '],
    ['DRIVER', number('>', 1), 'no field “value”; write one of statusName'],
    ['DRIVER', number('==', 1, 'statusName'), 'it is one of ONLINE, '],
    ['EVENT', text('eq', 'CRITCAL', 'eventLevel'), 'it is one of LOW, MEDIUM, HIGH, CRITICAL'],
    ['EVENT', number('>', 3, 'eventLevelFlag'), 'it is one of 0, 1, 2, 3'],
    ['EVENT', number('>', 1, 'paramValues'), 'paramValues. and the name of a parameter'],
    ['EVENT', there('missing', 'message'), 'never missing'],
  ])('on %s with %j is refused: %s', (target, condition, why) => {
    expect(wrongIn({ condition }, { target, type: null })?.why).toContain(why);
  });

  it.each<[Watches['target'], object]>([
    ['DEVICE', text('eq', 'offline', 'status')],
    ['DRIVER', text('contains', 'LINE', 'statusName')],
    ['EVENT', number('>', 5, 'litres')],
    ['EVENT', number('>', 5, 'paramValues.litres')],
    ['EVENT', number('>=', 2, 'eventLevelFlag')],
  ])('on %s with %j is taken', (target, condition) => {
    expect(wrongIn({ condition }, { target, type: null })).toBeNull();
  });
});

describe('a silence', () => {
  it('of no time is refused', () => {
    const content = { condition: { operator: 'nodata' }, window: { duration: 'PT0S' } };
    expect(wrongIn(content, point('DOUBLE'))?.at).toBe('window.duration');
  });
});

describe('a condition that is none', () => {
  it.each([
    [{ field: 'value' }, 'operator must be one of >, '],
    [{ field: 'value', operator: '=~' }, 'operator must be one of >, '],
    [{ operator: '>', threshold: 1 }, '> needs field'],
    [number('>', 0), null],
    [{ field: 'value', operator: '>', threshold: 'hot' }, '> needs threshold, a number'],
    [{ field: 'value', operator: '<', expected: '5' }, '< needs threshold, a number'],
    [{ field: 'value', operator: '==', threshold: '5' }, 'or expected, a text'],
    [{ field: 'value', operator: 'eq', threshold: 5 }, 'eq needs expected, a text'],
    [{ field: 'value', operator: 'between', low: 2 }, 'between needs low and high'],
    [range('between', 2, 1), 'low must not be above high'],
  ])('%j says what it lacks: %s', (condition, why) => {
    const first = Condition.safeParse(condition).error?.issues[0]?.message ?? null;
    if (why === null) expect(first).toBeNull();
    else expect(first).toContain(why);
  });
});

describe('values of a point', () => {
  it.each([
    ['BOOLEAN', { value: 1 }, text('==', 'true'), true],
    ['BOOLEAN', { value: 0 }, text('ne', 'TRUE'), true],
    ['BOOLEAN', { value: 1 }, text('contains', 'true'), true],
    ['BOOLEAN', { calValue: 'true' }, number('==', 1, 'calValue'), true],
    ['BOOLEAN', { calValue: '1' }, text('eq', 'true', 'calValue'), true],
    ['BOOLEAN', { calValue: 'false' }, text('eq', '1', 'calValue'), false],
    ['BOOLEAN', { rawValue: 'ON' }, text('eq', 'ON', 'rawValue'), true],
    ['BOOLEAN', { deviceId: '1' }, text('eq', 'true', 'deviceId'), false],
    ['DOUBLE', { value: 21.5 }, text('eq', '21.50'), true],
    ['INT', { value: 1 }, text('eq', 'true'), false],
    ['STRING', { value: '1' }, text('eq', 'true'), false],
  ] as const)('of type %s: %j is what %j asks for: %s', (type, values, condition, isMet) => {
    expect(matches(Condition.parse(condition), values, type)).toBe(isMet);
  });
});
