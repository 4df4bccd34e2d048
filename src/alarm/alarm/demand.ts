import { amount, byName } from '../../kernel/sentence/voice.ts';
import { durationWords } from '../kind/duration.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import { holdOf } from '../kind/window.ts';

/** What a value had to be, and for how long: `> 80 °C for 10 s`. */
export function demandText(content: Demand, unit: string): string {
  const { condition, window } = content;
  if (condition.operator === 'nodata') return demandOf(content);
  const hold = holdOf(window);
  const held = hold === undefined ? '' : ` for ${durationWords(hold)}`;
  return `${demandOf(content, unit).trimEnd()}${held}`;
}

type Demand = Pick<RuleContent, 'condition' | 'window'>;

export function demandOf({ condition, window }: Demand, unit = ''): string {
  if (condition.operator === 'nodata')
    return `no value for ${durationWords(window.duration ?? '')}`;
  const limit =
    'threshold' in condition
      ? amount(String(condition.threshold), unit, byName)
      : 'low' in condition
        ? `${condition.low} and ${amount(String(condition.high), unit, byName)}`
        : 'expected' in condition
          ? amount(condition.expected, '', byName)
          : '';
  return `${condition.operator} ${limit}`;
}
