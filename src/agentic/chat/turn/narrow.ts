import { z } from 'zod';

import { rankTools } from '../../../auth/agent/rank-tools.ts';
import { denialOf } from '../../../auth/connection/denial.ts';
import type { Tool } from '../../../kernel/app/app.ts';

/** Its name is the same as over MCP, where it finds what the list leaves out. */
const FINDER = 'searchTools';
const MAX_FOUND = 5;
/** What most questions need, whatever language they are in. */
const FIRST = [
  'searchDevices',
  'getLatestPointValue',
  'searchPoints',
  'searchAlarms',
  'writePointValue',
  'readPointValue',
  'getHandover',
  'lookupActionById',
];
/** Of those that the words of the question choose. */
const BY_WORDS = 5;
/** Words of questions that say nothing of what they are about. */
const COMMON =
  /\b(\w{1,3}|what|which|when|where|that|this|there|with|from|have|does|were|been|made|done|please|show|tell|give)\b/gi;

/** For small models: about half of what nine of them list. */
const FEW_TOOLS = 10;
/** Billions of parameters, as the names of open models say them. */
const SIZE = /(?<![\d.])(\d{1,3}(?:\.\d+)?)b(?![a-z])/i;
const SMALL_B = 14;

/** How many tools a request to this model lists; null: all. A model of 14 billion parameters or fewer gets ten. */
export function toolLimit(model: string, set: number | undefined): number | null {
  if (set !== undefined) return set;
  const size = Number(SIZE.exec(model)?.[1] ?? Infinity);
  return size <= SMALL_B ? FEW_TOOLS : null;
}

/**
 * At most `max` tools in the list of a turn: those that its question needs most likely, by its words, those that most
 * questions need, and one that finds the others, which are listed from the next round on. Each may be called all the same.
 */
export function narrowed(
  tools: readonly Tool[],
  { max, question, needed }: { max: number; question: string; needed: readonly string[] },
): readonly Tool[] {
  const finder = tools.find(({ name }) => name === FINDER);
  const able = tools.filter(({ opens }) => !opens);
  if (!finder || able.filter(({ listed }) => listed === 'direct').length < max) return tools;
  const asked = question.replaceAll(COMMON, ' ').trim();
  const daily = able.toSorted((a, b) => a.listed.localeCompare(b.listed));
  const words = asked === '' ? [] : rankTools(daily, asked).slice(0, BY_WORDS);
  const first = FIRST.flatMap((name) => able.find((tool) => tool.name === name) ?? []);
  const demanded = able.filter(({ name }) => needed.includes(name));
  const wanted = [...new Set([...demanded, ...words, ...first, ...able])];
  const chosen = new Set(wanted.slice(0, max - 1));
  const shown = able.flatMap((tool): Tool[] => {
    if (!chosen.has(tool)) return [];
    return [tool.listed === 'direct' ? tool : { ...tool, listed: 'direct' }];
  });
  const left = able.flatMap((tool): Tool[] =>
    chosen.has(tool) ? [] : [{ ...tool, listed: 'found' }],
  );
  const next = left.find(({ name }) => name === FOLLOW_UP);
  const hidden = left.map((tool) => followed(tool, next));
  return [...shown.map((tool) => followed(tool, next)), ...hidden, finderOf(finder, hidden)];
}

/** What became of a proposal is asked next. */
const FOLLOW_UP = 'lookupActionById';

const followed = (tool: Tool, next: Tool | undefined): Tool =>
  next === undefined || !tool.annotations.destructiveHint
    ? tool
    : {
        ...tool,
        async run(app, caller, input) {
          const answer = await tool.run(app, caller, input);
          next.listed = 'direct';
          return answer;
        },
      };

const Words = z.looseObject({ words: z.string().default('') });

/** Finds among these tools of one turn, and lists what it found from its next round on. */
const finderOf = (finder: Tool, hidden: readonly Tool[]): Tool => ({
  ...finder,
  description:
    'Finds more tools by words, such as history, commands, rules, events, drivers or changes. What it finds is in your list from the next step on.',
  opens: { tools: hidden },
  async run(_app, caller, input) {
    const { words } = Words.parse(input);
    const allowed = hidden.filter((tool) => denialOf(caller, tool) === null);
    const found = rankTools(allowed, words).slice(0, MAX_FOUND);
    for (const tool of found) tool.listed = 'direct';
    return {
      tools: found.map(({ name, title, description }) => ({ name, title, description })),
      others: allowed.filter((tool) => !found.includes(tool)).map(({ name }) => name),
    };
  },
});
