import { describe, expect, it } from 'vitest';

import { formulaOf, numberFrom } from '../../src/alarm/kind/formula.ts';
import { Content } from '../../src/alarm/kind/rule-ext.ts';

const points: Record<string, number | null> = {
  flow: 60,
  ret: 45,
  'flow-2': 7,
  流量: 3,
  broken: null,
};
const come = (text: string): number | null =>
  numberFrom(formulaOf(text), (name) => points[name] ?? null);

describe('a formula', () => {
  it.each([
    ['flow - ret', 15],
    ['2 + 3 * 4', 14],
    ['(2 + 3) * 4', 20],
    ['2 ^ 3 ^ 2', 512],
    ['-2 ^ 2', 4],
    ['flow / 0', null],
    ['0 / 0', null],
    ['1e308 * 1e308', null],
    ['broken + 1', null],
    ['max(flow, ret, 99) - min(flow, ret)', 54],
    ['abs(ret - flow) + round(2.5)', 18],
    ['"flow-2" * 流量', 21],
    ["'flow-2' - .5", 6.5],
  ])('%s comes to %j', (text, value) => {
    expect(come(text)).toBe(value);
  });

  it.each([
    ['flow -', 'Expected expression after - (at character 7)'],
    ['flow > 3', 'Unexpected ">" (at character 6)'],
    ['flow % 3', 'Unexpected "%" (at character 6)'],
    ['flow = 3', '(at character 6)'],
    ['flow ? 1 : 2', '(at character 6)'],
    ['(flow', 'Unclosed ( (at character 6)'],
    ['flow ret', 'only numbers, points'],
    ['flow, ret', 'only numbers, points'],
    ['flow; ret', 'only numbers, points'],
    ['[flow]', 'only numbers, points'],
    [
      'flow.ret',
      'only numbers, points, + - * / ^, parentheses and functions are read (before character 9)',
    ],
    ['flow["a"]', 'only numbers, points'],
    ['this', 'only numbers, points'],
    ['flow.constructor("x")', 'none of min, max, abs, round'],
    ['constructor(1)', '“constructor” is none of min, max, abs, round'],
    ['sin(flow)', '“sin” is none of min, max, abs, round (before character 10)'],
    ['round(flow, 2)', 'round takes one number'],
    ['min()', 'min takes numbers'],
    ['`flow`', '(at character 1)'],
    ['() => 1', '(at character'],
  ])('%s is refused with its place: %s', (text, why) => {
    expect(() => formulaOf(text)).toThrow(why);
    const content = { condition: { formula: text, operator: '>', threshold: 1 } };
    const refused = Content.safeParse(content).error;
    expect(JSON.stringify(refused?.issues)).toContain(JSON.stringify(why).slice(1, -1));
  });
});
