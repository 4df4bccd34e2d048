import { type Behaviour, type Expected, REFUSES, TEXT } from './behaviour.ts';
import { connections, failuresAfter, failuresUnder200, statuses } from './failures.ts';
import { type Json, putAt } from './odd.ts';
import { besides, towards } from './openai-fields.ts';
import { contents, thoughts } from './openai-forms.ts';
import {
  begin,
  cases,
  chunk,
  chunks,
  DONE,
  end,
  events,
  frame,
  lastChunk,
  says,
  usage,
  whole,
  words,
} from './openai-wire.ts';
import { type Case, framings, openFramings, sends } from './sending.ts';

/** Events that say nothing, before, amid and after the text. */
const NOTHING: readonly Json[] = [
  null,
  {},
  [],
  { choices: [] },
  { choices: null },
  { choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
  { choices: [{}] },
  { choices: [{ index: 0, delta: null, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: null }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: '' }] },
  { choices: [{ index: 0, delta: { tool_calls: [] } }] },
  { type: 'ping' },
  { object: 'chat.completion.chunk' },
  { error: null, choices: [] },
  { usage: {} },
  { choices: [], usage: { prompt_tokens: -1 } },
];
const betweens = (): Case[] =>
  NOTHING.flatMap((nothing) =>
    [0, 3, says.length + 1, chunks.length - 1, chunks.length].map((at): Case => ({
      name: `${JSON.stringify(nothing)} at ${at}`,
      expected: 'answer',
      events: chunks.toSpliced(at, 0, nothing),
    })),
  );

/** Orders of the events, and ends. */
function orders(): Behaviour[] {
  const text = [begin, ...says].map(frame);
  const last = frame(end);
  const counted = frame(lastChunk);
  const body = JSON.stringify(whole({ content: TEXT }));
  const other = words.map((_, at) => frame(chunk({ content: `other ${at} ` }, null, 1)));
  const woven = says.flatMap((one, at) => [frame(one), other[at] ?? '']);
  const list: [string, Expected, string[], ('ends' | 'hangs up' | 'stays')?][] = [
    ['no usage', 'answer', [...text, last, DONE]],
    ['no [DONE]', 'answer', [...text, last, counted]],
    ['no [DONE] and an open connection', 'answer', [...text, last, counted], 'stays'],
    ['a whole body and an open connection', 'answer', [body], 'stays'],
    ['no [DONE] and a broken connection', 'answer', [...text, last, counted], 'hangs up'],
    ['[DONE] and an open connection', 'answer', [...text, last, counted, DONE], 'stays'],
    ['no finish reason', 'answer', [...text, counted, DONE]],
    ['[DONE] twice', 'answer', [...text, last, DONE, DONE]],
    ['[DONE] with spaces', 'answer', [...text, last, 'data:   [DONE]  \n\n']],
    ['text after [DONE]', 'answer', [...text, last, DONE, ...text]],
    ['the finish reason twice', 'answer', [...text, last, last, counted, DONE]],
    [
      'the finish reason with the last text',
      'answer',
      [...text.slice(0, -1), frame(chunk({ content: words.at(-1) ?? '' }, 'stop')), counted, DONE],
    ],
    ['usage first', 'answer', [counted, ...text, last, DONE]],
    [
      'usage with each text',
      'answer',
      [...[begin, ...says].map((one) => frame(putAt(one, ['usage'], usage))), last, DONE],
    ],
    [
      'usage with the finish reason',
      'answer',
      [...text, frame(putAt(end, ['usage'], usage)), DONE],
    ],
    ['no role', 'answer', [...says.map(frame), last, counted, DONE]],
    [
      'the role in each event',
      'answer',
      [...words.map((content) => frame(chunk({ role: 'assistant', content }))), last, DONE],
    ],
    [
      'all in one event',
      'answer',
      [frame(chunk({ role: 'assistant', content: TEXT }, 'stop')), DONE],
    ],
    ['a whole message as event', 'answer', [frame(whole({ content: TEXT })), DONE]],
    [
      'a message in place of a delta',
      'answer',
      [
        ...[begin, ...says, end].map((one) =>
          frame(JSON.parse(JSON.stringify(one).replace('"delta"', '"message"'))),
        ),
        DONE,
      ],
    ],
    [
      'another choice between',
      'answer',
      [frame(begin), ...woven, last, frame(chunk({}, 'stop', 1)), DONE],
    ],
    [
      'another choice that ends first',
      'answer',
      [
        frame(begin),
        ...woven.slice(0, 4),
        frame(chunk({}, 'stop', 1)),
        ...says.slice(2).map(frame),
        last,
        DONE,
      ],
    ],
    [
      'another choice afterwards',
      'answer',
      [...text, last, ...other, frame(chunk({}, 'stop', 1)), DONE],
    ],
    [
      'named events',
      'answer',
      [...text, last, counted, DONE].map((one) => `event: message\n${one}`),
    ],
    [
      'characters in halves',
      'answer',
      [frame(begin), ...TEXT.split('').map((half) => frame(chunk({ content: half }))), last, DONE],
    ],
    ['[DONE] alone', 'fallback', [DONE]],
    ['the finish reason alone', 'fallback', [last, DONE]],
    ['the role alone', 'fallback', [frame(begin), last, DONE]],
    ['usage alone', 'fallback', [counted, DONE]],
    ['comments alone', 'fallback', [': wait\n\n', ': wait\n\n']],
    ['the finish reason error', 'fallback', [frame(begin), frame(chunk({}, 'error')), DONE]],
    ['text and the finish reason error', 'broken', [...text, frame(chunk({}, 'error')), DONE]],
    ['neither finish reason nor [DONE]', 'broken', text],
  ];
  return list.map(([name, expected, parts, how]) => ({
    rule: 'order and end of events',
    name,
    kind: 'text',
    expected,
    reply: sends(parts, {}, how),
  }));
}

/** Ends that are named otherwise. */
/** Ends that say that an answer is none. */
const FAILED = ['error', 'network_error', 'insufficient_system_resource', 'abort', 'ABORTED'];
const finishes = (): Case[] =>
  [
    'STOP',
    'end_turn',
    'eos',
    'eos_token',
    'length',
    'content_filter',
    'tool_calls',
    'function_call',
    'MAX_TOKENS',
    'SAFETY',
    'unknown',
    ...FAILED,
  ].flatMap((reason): Case[] => [
    {
      name: `finish reason ${reason}`,
      expected: FAILED.includes(reason) ? 'fallback' : 'answer',
      json: whole({ content: TEXT }, reason),
    },
    {
      name: `finish reason ${reason}`,
      expected: FAILED.includes(reason) ? 'broken' : 'answer',
      events: [begin, ...says, chunk({}, reason), lastChunk],
    },
  ]);

function choices(): Case[] {
  const one = { index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' };
  const two = {
    index: 1,
    message: { role: 'assistant', content: 'another' },
    finish_reason: 'stop',
  };
  return [
    { name: 'two choices', expected: 'answer', json: { choices: [one, two], usage } },
    {
      name: 'two choices, the other first',
      expected: 'answer',
      json: { choices: [two, one], usage },
    },
    {
      name: 'an odd choice beside it',
      expected: 'answer',
      json: { choices: [one, null, 42], usage },
    },
    { name: 'choices as an object', expected: 'open', json: { choices: { '0': one }, usage } },
    {
      name: 'text in place of a message',
      expected: 'open',
      json: { choices: [{ text: TEXT, finish_reason: 'stop' }] },
    },
    { name: 'a refusal', expected: 'open', json: whole({ content: null, refusal: REFUSES }) },
    { name: 'a list around it', expected: 'open', json: [whole({ content: TEXT })] },
    { name: 'data around it', expected: 'open', json: { code: 0, data: whole({ content: TEXT }) } },
    {
      name: 'an error that is null beside it',
      expected: 'answer',
      json: { ...Object(whole({ content: TEXT })), error: null },
    },
    {
      name: 'an error that is empty beside it',
      expected: 'answer',
      json: { ...Object(whole({ content: TEXT })), error: '' },
    },
    {
      name: 'a code of success beside it',
      expected: 'answer',
      json: { ...Object(whole({ content: TEXT })), code: 200, success: true, message: 'ok' },
    },
    {
      name: 'an error beside it',
      expected: 'fallback',
      json: { ...Object(whole({ content: TEXT })), error: { message: 'no' } },
    },
  ];
}

/** What a vendor of OpenAI's dialect may do with a text. */
export const openAiTexts = (): Behaviour[] => [
  ...cases('fields beside the text', besides()),
  ...cases('fields that lead to the text', towards()),
  ...cases('forms of the content', contents()),
  ...cases('thoughts', thoughts()),
  ...cases('events that say nothing', betweens()),
  ...cases('finish reasons', finishes()),
  ...cases('choices', choices()),
  ...orders(),
  ...framings.map(([name, form]): Behaviour => ({
    rule: 'framing',
    name,
    kind: 'text',
    expected: 'answer',
    reply: form(events(chunks)),
  })),
  ...openFramings.map(([name, form]): Behaviour => ({
    rule: 'framing',
    name,
    kind: 'text',
    expected: 'open',
    reply: form(events(chunks)),
  })),
  ...failuresUnder200(),
  ...failuresAfter([frame(begin), ...says.slice(0, 3).map(frame)], [frame(end), DONE]),
  ...statuses(),
  ...connections(),
];
