import { type Expected, TEXT } from './behaviour.ts';
import type { Json } from './odd.ts';
import { begin, chunk, end, lastChunk, says, whole, words } from './openai-wire.ts';
import type { Case } from './sending.ts';

/** Forms of a content that hold the text. */
const CONTENTS: readonly (readonly [string, Expected, (text: string) => Json])[] = [
  ['a list of the text', 'answer', (text) => [text]],
  ['a list of a part', 'answer', (text) => [{ type: 'text', text }]],
  [
    'a list of two parts',
    'answer',
    (text) => [
      { type: 'text', text: text.slice(0, 3) },
      { type: 'text', text: text.slice(3) },
    ],
  ],
  [
    'a list of an output part',
    'answer',
    (text) => [{ type: 'output_text', text, annotations: [] }],
  ],
  ['a part', 'answer', (text) => ({ type: 'text', text })],
  ['a part without a type', 'answer', (text) => ({ text })],
  ['a list with an odd part', 'answer', (text) => [null, { type: 'text', text }, 42]],
  [
    'a thought and a part',
    'answer',
    (text) => [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text },
    ],
  ],
  [
    'a thought as text and a part',
    'answer',
    (text) => [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text },
    ],
  ],
  [
    'a thought alone',
    'fallback',
    () => [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }],
  ],
  ['a reference alone', 'fallback', () => [{ type: 'reference', reference_ids: [1] }]],
  ['spaces', 'fallback', () => ' \n'],
];
export const contents = (): Case[] =>
  CONTENTS.flatMap(([name, expected, form]): Case[] => [
    { name: `content is ${name}`, expected, json: whole({ content: form(TEXT) }) },
    {
      name: `content is ${name}`,
      expected,
      events: [begin, ...words.map((word) => chunk({ content: form(word) })), end, lastChunk],
    },
  ]);

const THOUGHTS = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<seed:think>', '</seed:think>'],
  ['[THINK]', '[/THINK]'],
] as const;

/** What a model thinks, in its text and beside it. */
export function thoughts(): Case[] {
  const inText = THOUGHTS.flatMap(([open, close]): [string, Expected, string][] => [
    [open, 'answer', `${open}\nHm, warm?\n${close}\n\n${TEXT}`],
    [`${open} and nothing in it`, 'answer', `${open}\n\n${close}\n\n${TEXT}`],
    [`${open} twice`, 'answer', `${open}Hm.${close}${open}Warm.${close}${TEXT}`],
    [`${open} that never closes`, 'fallback', `${open}Hm, ${TEXT}`],
    [`${open} alone`, 'fallback', `${open}Hm.${close}\n`],
  ]);
  // Streamed, such a text was said before its end shows what it was.
  const late = [
    ['a thought that a template opened', `Hm, warm?\n</think>\n\n${TEXT}`],
    ['an empty one', `</think>\n\n${TEXT}`],
    ['one over lines', `Hm.\n\nWarm?\n\n</think>\n${TEXT}`],
  ] as const;
  const cut = (text: string, size: number): string[] =>
    text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? [];
  return [
    ...inText.flatMap(([name, expected, content]): Case[] => [
      { name, expected, json: whole({ content }) },
      ...[1, 4, 1_000].map((size) => ({
        name: `${name} in parts of ${size}`,
        expected,
        events: [
          begin,
          ...cut(content, size).map((part) => chunk({ content: part })),
          end,
          lastChunk,
        ],
      })),
    ]),
    ...late.map(([name, content]): Case => ({
      name,
      expected: 'answer',
      json: whole({ content }),
      events: [begin, chunk({ content }), end, lastChunk],
    })),
    ...['reasoning_content', 'reasoning'].flatMap((field): Case[] => [
      {
        name: `${field} before the text`,
        expected: 'answer',
        json: whole({ content: TEXT, [field]: 'Hm.' }),
      },
      {
        name: `${field} alone`,
        expected: 'fallback',
        json: whole({ content: null, [field]: 'Hm.' }),
      },
      {
        name: `${field} before the text`,
        expected: 'answer',
        events: [begin, chunk({ [field]: 'Hm.', content: null }), ...says, end, lastChunk],
      },
      {
        name: `${field} alone`,
        expected: 'fallback',
        events: [begin, chunk({ [field]: 'Hm.' }), end, lastChunk],
      },
    ]),
  ];
}
