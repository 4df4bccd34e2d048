import { begin, block, end, type Event, frame, message, says } from './anthropic-wire.ts';
import { ARGUMENTS, type Behaviour, type Expected, TOOL } from './behaviour.ts';
import { changedAt, type Json, named, nameOf, oddForms } from './odd.ts';
import { callsOf, framings, sends, sendsJson } from './sending.ts';

type Field = (at: number) => Json | undefined;

const IDS: readonly (readonly [string, Field])[] = [
  ['ids', (at) => `toolu_${at}`],
  ['no ids', () => undefined],
  ['ids that are null', () => null],
  ['empty ids', () => ''],
  ['one id for both', () => 'toolu_1'],
  ['ids that are numbers', (at) => at + 1],
  ['odd ids', (at) => `functions.${TOOL}:${at} „x“/`],
];
const INDEXES: readonly (readonly [string, Field])[] = [
  ['indexes', (at) => at],
  ['no index', () => undefined],
  ['an index that is null', () => null],
  ['the index 0', () => 0],
  ['indexes as text', (at) => String(at)],
  ['indexes from 5', (at) => at + 5],
];
/** Arguments with the block, or in parts after it. */
const DELIVERIES: readonly (readonly [string, (given: Json, text: string) => [Json, string[]]])[] =
  [
    ['with the block', (given) => [given, []]],
    ['whole', (_given, text) => [{}, [text]]],
    ['in halves', (_given, text) => [{}, [text.slice(0, 9), text.slice(9)]]],
    ['in characters', (_given, text) => [{}, text.split('')]],
    ['after an empty part', (_given, text) => [{}, ['', text]]],
    ['after a block without input', (_given, text) => [null, [text]]],
    ['as text with the block', (_given, text) => [text, []]],
  ];

const withIndex = (events: readonly Event[], index: Json | undefined): Json[] =>
  events.map(({ index: _index, ...event }) => named({ ...event, index }));

const mixes = (): Behaviour[] =>
  IDS.flatMap(([ids, idOf]) =>
    INDEXES.flatMap(([indexes, indexOf]) =>
      DELIVERIES.map(([delivery, cut]): Behaviour => {
        const blocks = ARGUMENTS.flatMap((given, at) => {
          const [input, parts] = cut({ ...given }, JSON.stringify(given));
          const start = named({ type: 'tool_use', id: idOf(at), name: TOOL, input });
          const deltas = parts.map((partial_json): Json => ({
            type: 'input_json_delta',
            partial_json,
          }));
          return withIndex(block(at, start, ...deltas), indexOf(at));
        });
        const reply = sends([begin, ...blocks, ...end('tool_use')].map(frame));
        return callsOf('two calls in events')(`${ids}, ${indexes}, ${delivery}`, reply);
      }),
    ),
  );

const plain: readonly { [name: string]: Json }[] = ARGUMENTS.map((input, at) => ({
  type: 'tool_use',
  id: `toolu_${at}`,
  name: TOOL,
  input: { ...input },
}));

function fields(): Behaviour[] {
  const made = (name: string, expected: Expected, content: readonly Json[]): Behaviour =>
    callsOf('fields of a call')(name, sendsJson(message([...content], 'tool_use')), expected);
  const kept = (['id', 'odd', 'cache_control'] as const).flatMap((name) =>
    oddForms.map(({ form, change }) =>
      made(
        `JSON, ${name} is ${form}`,
        'answer',
        plain.map((call) => changedAt(call, [name], change)),
      ),
    ),
  );
  const lost = (['name', 'type', 'input'] as const).flatMap((name) =>
    oddForms.map(({ form, change }) =>
      made(
        `JSON, ${nameOf([name])} is ${form}`,
        'open',
        plain.map((call) => changedAt(call, [name], change)),
      ),
    ),
  );
  const asText = plain.map((call) => ({ ...call, input: JSON.stringify(call['input']) }));
  return [
    ...kept,
    ...lost,
    made('JSON, input as text', 'answer', asText),
    made('JSON, a text before', 'answer', [{ type: 'text', text: ' ' }, ...plain]),
    made('JSON, odd parts between', 'answer', [null, ...plain.flatMap((call) => [call, {}])]),
  ];
}

function ends(): Behaviour[] {
  const ending = callsOf('ends of calls');
  const blocks = plain.flatMap(({ input, ...call }, at) =>
    block(
      at,
      { ...call, input: {} },
      { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    ),
  );
  const made = (name: string, events: readonly Json[], how?: 'hangs up' | 'stays'): Behaviour =>
    ending(name, sends(events.map(frame), {}, how));
  const [last = begin, stop = begin] = end('tool_use');
  return [
    ...['end_turn', 'tool_calls', 'TOOL_USE', 'unknown'].flatMap((reason): Behaviour[] => [
      made(`stop reason ${reason}`, [begin, ...blocks, ...end(reason)]),
      ending(`JSON, stop reason ${reason}`, sendsJson(message([...plain], reason))),
    ]),
    made('no stop reason', [begin, ...blocks, ...end(null)]),
    made('no message_stop', [begin, ...blocks, last]),
    made('no message_delta', [begin, ...blocks, stop]),
    made('no content_block_stop', [
      begin,
      ...blocks.filter(({ type }) => type !== 'content_block_stop'),
      last,
      stop,
    ]),
    made('no message_start', [...blocks, last, stop]),
    made('an open connection', [begin, ...blocks, last], 'stays'),
    made('a broken connection', [begin, ...blocks, last], 'hangs up'),
    made('pings between', [
      begin,
      ...blocks.flatMap((event) => [{ type: 'ping' }, event]),
      last,
      stop,
    ]),
    made('a text before', [
      begin,
      ...says(0, [' ']),
      ...blocks.map((event) => ({ ...event, index: Number(event['index']) + 1 })),
      last,
      stop,
    ]),
    made('blocks that are woven', [
      begin,
      ...[0, 1, 2].flatMap((step) => [blocks[step] ?? begin, blocks[step + 3] ?? begin]),
      last,
      stop,
    ]),
    ...framings.map(([name, form]) =>
      ending(name, form([begin, ...blocks, last, stop].map(frame))),
    ),
  ];
}

/** What a vendor of Anthropic's dialect may do with calls. */
export const anthropicCalls = (): Behaviour[] => [...mixes(), ...fields(), ...ends()];
