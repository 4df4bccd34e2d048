import { rulesWords } from '../../word/rules.ts';
import { timeWords } from '../../word/time.ts';
import type { Content } from './content.ts';
import { lengthIn } from './length.ts';

/** What a rule demands, in words: `above 85 °C for 60 s`. */
export function demandOf({ condition, window }: Content): string {
  const w = rulesWords();
  const { amount, unit } = lengthIn(window?.duration);
  const held = amount === '' ? '' : timeWords()[unit](Number(amount));
  if (condition.operator === 'nodata') return w.silent(held);
  const said = `${w.operators[condition.operator]} ${comparedWith(condition)}`.trim();
  return held === '' ? said : w.held(said, held);
}

function comparedWith(condition: Content['condition']): string {
  const unit = 'unit' in condition ? (condition.unit ?? '') : '';
  const shown = (value: number): string => `${value} ${unit}`.trim();
  if ('threshold' in condition) return shown(condition.threshold);
  if ('low' in condition) return rulesWords().range(String(condition.low), shown(condition.high));
  return 'expected' in condition ? `“${condition.expected}”` : '';
}
