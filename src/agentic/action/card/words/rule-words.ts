import type { Voice } from '../../../../kernel/sentence/voice.ts';
import type { AlarmView } from '../../kind/alarm-card.ts';

type RuleView = Extract<AlarmView, { backtest: unknown }>;

const LABELS: Record<RuleView['terms'][number]['of'], string> = {
  window: 'Values compared',
  recovery: 'Over at',
  schedule: 'Hours',
  levels: 'More urgent levels',
  maxAge: 'Age of values',
  devices: 'Only on',
  aggregate: 'Taken together',
  points: 'Points',
  peers: 'Compared with',
  eventType: 'Type of event',
  labels: 'Labels',
};
const MAX_WORDS = 400;
const MAX_INSTRUCTION = 200;
const UNSET = 'not set';

/** What a rule says besides its condition and level, and said before where that differs; a phrase for each. */
export function termWords(rule: RuleView, voice: Voice): string[] {
  const shown = (words: string): string =>
    words === '' ? UNSET : voice.sentence(words, MAX_WORDS);
  const isChange = rule.does === 'CHANGE_RULE';
  return [
    ...rule.terms.map(({ of, words, wordsBefore }) =>
      isChange && words !== wordsBefore
        ? `${LABELS[of]}: ${shown(words)}, before: ${shown(wordsBefore)}`
        : `${LABELS[of]}: ${shown(words)}`,
    ),
    ...instructionWords(rule, voice),
  ];
}

function instructionWords(rule: RuleView, voice: Voice): string[] {
  const shown = (text: string): string => (text === '' ? UNSET : voice.text(text, MAX_INSTRUCTION));
  const { instruction } = rule;
  const before = rule.does === 'CHANGE_RULE' ? rule.instructionBefore : instruction;
  if (before !== instruction)
    return [`What to do: ${shown(instruction)}, before: ${shown(before)}`];
  return instruction === '' ? [] : [`What to do: ${shown(instruction)}`];
}
