import { besides, towards } from './anthropic-fields.ts';
import {
  all,
  begin,
  block,
  cases,
  end,
  type Event,
  frame,
  message,
  says,
  thinks,
  usage,
  whole,
  words,
} from './anthropic-wire.ts';
import { type Behaviour, type Expected, TEXT } from './behaviour.ts';
import { connections, failuresAfter, failuresUnder200, statuses } from './failures.ts';
import { type Json, putAt } from './odd.ts';
import { type Case, framings, openFramings, sends } from './sending.ts';

/** Contents that hold the text. */
function contents(): Case[] {
  const part = { type: 'text', text: TEXT };
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
  const odd = { type: 'server_tool_use', id: 'x', name: 'search', input: {} };
  return [
    { name: 'a text', expected: 'answer', json: message(TEXT) },
    { name: 'a part', expected: 'answer', json: message(part) },
    { name: 'a list of the text', expected: 'answer', json: message([TEXT]) },
    {
      name: 'two parts',
      expected: 'answer',
      json: message([
        { ...part, text: TEXT.slice(0, 5) },
        { ...part, text: TEXT.slice(5) },
      ]),
    },
    { name: 'a part of another type before', expected: 'answer', json: message([odd, part]) },
    { name: 'odd parts beside', expected: 'answer', json: message([null, 42, part, {}]) },
    { name: 'a thought before', expected: 'answer', json: message([thought, part]) },
    {
      name: 'a hidden thought before',
      expected: 'answer',
      json: message([{ type: 'redacted_thinking', data: 'x' }, part]),
    },
    { name: 'a thought alone', expected: 'fallback', json: message([thought]) },
    { name: 'spaces', expected: 'fallback', json: message([{ type: 'text', text: ' \n' }]) },
    { name: 'a part of another type alone', expected: 'fallback', json: message([odd]) },
    {
      name: 'the other dialect',
      expected: 'open',
      json: { choices: [{ message: { content: TEXT }, finish_reason: 'stop' }] },
    },
    {
      name: 'a thought in the text',
      expected: 'answer',
      json: message([{ type: 'text', text: `<think>Hm.</think>${TEXT}` }]),
    },
    {
      name: 'a thought before',
      expected: 'answer',
      events: [begin, ...thinks(0), ...says(1), ...end()],
    },
    { name: 'a thought alone', expected: 'fallback', events: [begin, ...thinks(0), ...end()] },
    {
      name: 'two blocks',
      expected: 'answer',
      events: [begin, ...says(0, words.slice(0, 3)), ...says(1, words.slice(3)), ...end()],
    },
    {
      name: 'two blocks of one index',
      expected: 'answer',
      events: [begin, ...says(0, words.slice(0, 3)), ...says(0, words.slice(3)), ...end()],
    },
    {
      name: 'the text with its start',
      expected: 'answer',
      events: [begin, ...block(0, { type: 'text', text: TEXT }), ...end()],
    },
    {
      name: 'a block of another type before',
      expected: 'answer',
      events: [
        begin,
        ...block(0, odd, { type: 'input_json_delta', partial_json: '{}' }),
        ...says(1),
        ...end(),
      ],
    },
    { name: 'spaces', expected: 'fallback', events: [begin, ...says(0, [' ', '\n']), ...end()] },
    {
      name: 'the message with the start',
      expected: 'open',
      events: [{ type: 'message_start', message: whole }, ...end()],
    },
    { name: 'the message as one event', expected: 'answer', events: [whole] },
  ];
}

/** Events that say nothing, before, amid and after the text. */
const NOTHING: readonly Json[] = [
  null,
  {},
  [],
  { type: 'ping' },
  { type: 'odd_event', odd: 1 },
  { type: 'content_block_delta', index: 0, delta: null },
  { type: 'content_block_delta', index: 0, delta: {} },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: {} } },
  { type: 'content_block_delta', index: 9, delta: { type: 'input_json_delta', partial_json: '{' } },
  { type: 'message_delta', delta: {}, usage: {} },
];
const betweens = (): Case[] =>
  NOTHING.flatMap((nothing) =>
    [0, 2, 5, all.length - 1, all.length].map((at): Case => ({
      name: `${JSON.stringify(nothing)} at ${at}`,
      expected: 'answer',
      events: [...all.slice(0, at), nothing, ...all.slice(at)],
    })),
  );

/** Orders of the events, what is left out, and ends. */
function orders(): Behaviour[] {
  const text = [begin, ...says(0)];
  const [last = begin, stop = begin] = end();
  const without = (type: string): Event[] => all.filter((event) => event.type !== type);
  const list: [string, Expected, Json[], ('ends' | 'hangs up' | 'stays')?][] = [
    ...[
      'message_start',
      'content_block_start',
      'content_block_stop',
      'message_delta',
      'message_stop',
      'ping',
    ].map((type): [string, Expected, Json[]] => [`no ${type}`, 'answer', without(type)]),
    ['deltas alone and the stop', 'answer', [...says(0).slice(1, -1), stop]],
    ['no message_stop and an open connection', 'answer', [...text, last], 'stays'],
    ['no message_stop and a broken connection', 'answer', [...text, last], 'hangs up'],
    ['message_stop and an open connection', 'answer', [...text, last, stop], 'stays'],
    ['message_stop twice', 'answer', [...text, last, stop, stop]],
    ['message_start twice', 'answer', [begin, ...text, last, stop]],
    ['text after message_stop', 'answer', [...text, last, stop, ...says(1)]],
    ['the stop reason before the text', 'answer', [begin, last, ...says(0), stop]],
    ['usage in each event', 'answer', all.map((event) => putAt(event, ['usage'], usage))],
    ['the start alone', 'fallback', [begin]],
    ['no block', 'fallback', [begin, last, stop]],
    ['the end alone', 'fallback', [last, stop]],
    ['pings alone', 'fallback', [{ type: 'ping' }, { type: 'ping' }]],
    ['neither message_delta nor message_stop', 'broken', text],
  ];
  const made = list.map(([name, expected, events, how]): Behaviour => ({
    rule: 'order and end of events',
    name,
    kind: 'text',
    expected,
    reply: sends(events.map(frame), {}, how),
  }));
  const bare = all.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const named: [string, Expected, string[], 'stays'?][] = [
    ['a whole body and an open connection', 'answer', [JSON.stringify(whole)], 'stays'],
    ['no names of events', 'answer', bare],
    ['one name for all', 'answer', bare.map((one) => `event: message\n${one}`)],
    [
      'names after the data',
      'answer',
      all.map((event) => `data: ${JSON.stringify(event)}\nevent: ${event.type}\n\n`),
    ],
    ['[DONE] at the end', 'answer', [...all.map(frame), 'data: [DONE]\n\n']],
    ['[DONE] in place of the end', 'answer', [...text.map(frame), frame(last), 'data: [DONE]\n\n']],
  ];
  return [
    ...made,
    ...named.map(([name, expected, parts, how]): Behaviour => ({
      rule: 'order and end of events',
      name,
      kind: 'text',
      expected,
      reply: sends(parts, {}, how),
    })),
  ];
}

/** Ends that say that an answer is none. */
const FAILED = ['error', 'network_error', 'insufficient_system_resource', 'abort', 'ABORTED'];
const finishes = (): Case[] =>
  [
    'END_TURN',
    'stop',
    'stop_sequence',
    'max_tokens',
    'pause_turn',
    'refusal',
    'tool_use',
    'model_context_window_exceeded',
    'LENGTH',
    'unknown',
    ...FAILED,
  ].flatMap((reason): Case[] => [
    {
      name: `stop reason ${reason}`,
      expected: FAILED.includes(reason) ? 'fallback' : 'answer',
      json: message([{ type: 'text', text: TEXT }], reason),
    },
    {
      name: `stop reason ${reason}`,
      expected: FAILED.includes(reason) ? 'broken' : 'answer',
      events: [begin, ...says(0), ...end(reason)],
    },
  ]);

/** What a vendor of Anthropic's dialect may do with a text. */
export const anthropicTexts = (): Behaviour[] => [
  ...cases('fields beside the text', besides()),
  ...cases('fields that lead to the text', towards()),
  ...cases('forms of the content', contents()),
  ...cases('events that say nothing', betweens()),
  ...cases('finish reasons', finishes()),
  ...orders(),
  ...framings.map(([name, form]): Behaviour => ({
    rule: 'framing',
    name,
    kind: 'text',
    expected: 'answer',
    reply: form(all.map(frame)),
  })),
  ...openFramings.map(([name, form]): Behaviour => ({
    rule: 'framing',
    name,
    kind: 'text',
    expected: 'open',
    reply: form(all.map(frame)),
  })),
  ...failuresUnder200(),
  ...failuresAfter(
    [begin, ...says(0, words.slice(0, 3)).slice(0, -1)].map(frame),
    end().map(frame),
  ),
  ...statuses(),
  ...connections(),
];
