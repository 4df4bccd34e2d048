import { amount, byName, quoted } from '../../kernel/sentence/voice.ts';
import { isSet, type Leaf, type Part, partsOf, type Sets } from '../kind/condition.ts';
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
  if (isSet(condition)) return setWords(condition);
  const limit =
    'threshold' in condition
      ? `${amount(String(condition.threshold), unit, byName)}${ownWords(condition.attribute)}`
      : 'low' in condition
        ? `${condition.low}${ownWords(condition.lowAttribute)} and ${amount(String(condition.high), unit, byName)}${ownWords(condition.highAttribute)}`
        : 'expected' in condition
          ? amount(condition.expected, '', byName)
          : '';
  return `${condition.operator} ${limit}`;
}

const ownWords = (attribute: string | undefined): string =>
  attribute === undefined ? '' : ` or the device's ${quoted(attribute)}`;

const WORDS = { all: 'all of', any: 'any of', not: 'none of' } as const;

/** A set of conditions: `all of (“flow” < 1; “pump” == 1)`. */
function setWords(set: Sets): string {
  return `${WORDS[set.operator]} (${partsOf(set).map(partWords).join('; ')})`;
}

const partWords = (part: Part): string => (isSet(part) ? setWords(part) : leafWords(part));

function leafWords(leaf: Leaf): string {
  const { point, field } = leaf;
  const unit = 'unit' in leaf ? (leaf.unit ?? '') : '';
  const named = point === undefined ? field : quoted(point);
  return `${named} ${demandOf({ condition: leaf, window: { mode: 'LAST' } }, unit)}`;
}
