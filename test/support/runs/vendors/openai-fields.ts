import { TEXT } from './behaviour.ts';
import { changedAt, nameOf, oddForms, type Path } from './odd.ts';
import { chunks, usage, whole } from './openai-wire.ts';
import type { Case } from './sending.ts';

const TOP = ['id', 'object', 'created', 'model', 'system_fingerprint', 'service_tier', 'usage'];
const USAGE = Object.keys(usage).map((name): Path => ['usage', name]);
const CHOICE = ['index', 'logprobs', 'finish_reason'].map((name): Path => ['choices', 0, name]);
/** Fields beside the text of an answer. */
const PART = [
  'role',
  'refusal',
  'annotations',
  'audio',
  'tool_calls',
  'function_call',
  'reasoning_content',
  'reasoning',
  'name',
];

/** Fields that say nothing of the text: whatever they hold, the answer is there. */
export function besides(): Case[] {
  const paths = (part: string): Path[] => [
    ...TOP.map((name): Path => [name]),
    ...USAGE,
    ...CHOICE,
    ...PART.map((name): Path => ['choices', 0, part, name]),
  ];
  const inJson = paths('message').flatMap((path) =>
    oddForms.map(({ form, change }) => ({
      name: `${nameOf(path)} is ${form}`,
      expected: 'answer' as const,
      json: changedAt(whole({ content: TEXT }), path, change),
    })),
  );
  const inChunks = paths('delta').flatMap((path) =>
    oddForms
      // A refusal where no text is beside it is one.
      .filter(({ form }) => !(path.at(-1) === 'refusal' && form === 'a text'))
      .map(({ form, change }) => ({
        name: `${nameOf(path)} is ${form}`,
        expected: 'answer' as const,
        events: chunks.map((one) => changedAt(one, path, change)),
      })),
  );
  return [...inJson, ...inChunks];
}

/** Fields that lead to the text: without them there is no answer, in capitals it may be found or not. */
export function towards(): Case[] {
  const ways = (part: string): Path[] => [
    ['choices'],
    ['choices', 0],
    ['choices', 0, part],
    ['choices', 0, part, 'content'],
  ];
  const forms = oddForms.filter(({ form }) => form !== 'a text' && form !== 'a list');
  const odd = (at: number): Case[] =>
    forms.flatMap(({ form, change, isRenamed }): Case[] => {
      const expected = isRenamed ? 'open' : 'fallback';
      const [inJson = [], inChunks = []] = [ways('message')[at], ways('delta')[at]];
      const name = (path: Path) => `${nameOf(path)} is ${form}`;
      return [
        { name: name(inJson), expected, json: changedAt(whole({ content: TEXT }), inJson, change) },
        {
          name: name(inChunks),
          expected,
          events: chunks.map((one) => changedAt(one, inChunks, change)),
        },
      ];
    });
  return [0, 1, 2, 3].flatMap(odd);
}
