import { ARGUMENTS, type Behaviour, type Expected, TOOL } from './behaviour.ts';
import { changedAt, type Json, named, nameOf, oddForms } from './odd.ts';
import { chunk, DONE, frame, usage, whole } from './openai-wire.ts';
import { callsOf, framings, sends, sendsJson } from './sending.ts';

type Call = { [name: string]: Json };
/** A field of one call; undefined leaves it out. */
type Field = (at: number) => Json | undefined;

const IDS: readonly (readonly [string, Field])[] = [
  ['ids', (at) => `call_${at}`],
  ['no ids', () => undefined],
  ['ids that are null', () => null],
  ['empty ids', () => ''],
  ['one id for both', () => 'call_1'],
  ['ids that are numbers', (at) => at + 1],
  ['odd ids', (at) => `functions.${TOOL}:${at} „x“/`],
  ['long ids', (at) => `${'x'.repeat(300)}${at}`],
];
const INDEXES: readonly (readonly [string, Field])[] = [
  ['indexes', (at) => at],
  ['no index', () => undefined],
  ['an index that is null', () => null],
  ['the index 0', () => 0],
  ['indexes as text', (at) => String(at)],
  ['indexes from 1', (at) => at + 1],
];

/** The arguments of a call in parts, each with or without what names the call. */
const DELIVERIES: readonly (readonly [string, (text: string) => string[], 'first' | 'each'])[] = [
  ['whole', (text) => [text], 'first'],
  ['in halves', (text) => [text.slice(0, 9), text.slice(9)], 'first'],
  ['in characters', (text) => text.split(''), 'first'],
  ['after an empty part', (text) => ['', text], 'first'],
  ['in halves that repeat the name', (text) => [text.slice(0, 9), text.slice(9)], 'each'],
];

const texts = ARGUMENTS.map((given) => JSON.stringify(given));

const begun = frame(chunk({ role: 'assistant', content: null }));
const ended = (reason = 'tool_calls'): string[] => [
  frame(chunk({}, reason)),
  frame({ choices: [], usage }),
  DONE,
];
const answers = (calls: readonly Call[], finish: string | null = 'tool_calls'): Json =>
  whole({ content: null, tool_calls: [...calls] }, finish);
const plain: readonly Call[] = texts.map((text, at) => ({
  id: `call_${at}`,
  type: 'function',
  function: { name: TOOL, arguments: text },
}));

/** Both calls in events, every mix of ids, indexes and deliveries. */
const mixes = (): Behaviour[] =>
  IDS.flatMap(([ids, idOf]) =>
    INDEXES.flatMap(([indexes, indexOf]) =>
      DELIVERIES.map(([delivery, cut, names]): Behaviour => {
        const parts = texts.flatMap((text, at) =>
          cut(text).map((part, place) => {
            const isNamed = place === 0 || names === 'each';
            return named({
              index: indexOf(at),
              ...(isNamed ? { id: idOf(at), type: 'function' } : {}),
              function: { ...(isNamed ? { name: TOOL } : {}), arguments: part },
            });
          }),
        );
        const chunks = parts.map((part) => frame(chunk({ tool_calls: [part] })));
        const reply = sends([begun, ...chunks, ...ended()]);
        return callsOf('two calls in events')(`${ids}, ${indexes}, ${delivery}`, reply);
      }),
    ),
  );

/** Both calls at once, as JSON and in one event. */
const together = (): Behaviour[] =>
  IDS.flatMap(([ids, idOf]) =>
    INDEXES.flatMap(([indexes, indexOf]): Behaviour[] => {
      const calls = texts.map((text, at) =>
        named({
          index: indexOf(at),
          id: idOf(at),
          type: 'function',
          function: { name: TOOL, arguments: text },
        }),
      );
      const atOnce = callsOf('two calls at once');
      const name = `${ids}, ${indexes}`;
      const event = frame(chunk({ tool_calls: calls }));
      return [
        atOnce(`JSON, ${name}`, sendsJson(answers(calls))),
        atOnce(`one event, ${name}`, sends([begun, event, ...ended()])),
      ];
    }),
  );

/** Forms of the arguments that hold them. */
const FORMS: readonly (readonly [string, Expected, (text: string) => Json])[] = [
  ['an object', 'answer', (text): Json => JSON.parse(text)],
  ['with spaces', 'answer', (text) => `\n ${text} \n`],
  ['over lines', 'answer', (text) => JSON.stringify(JSON.parse(text), null, 2)],
  ['as text within text', 'open', (text) => JSON.stringify(text)],
  ['in a fence', 'open', (text) => `\`\`\`json\n${text}\n\`\`\``],
  ['cut', 'open', (text) => text.slice(0, -1)],
];

/** Fields beside the calls. */
function fields(): Behaviour[] {
  const made = callsOf('fields of a call');
  const beside = [
    ['choices', 0, 'message', 'content'],
    ['choices', 0, 'finish_reason'],
  ] as const;
  const of = [['type'], ['id'], ['index'], ['odd']] as const;
  const within = of.map((path) => ['choices', 0, 'message', 'tool_calls', 0, ...path]);
  const json = [...beside, ...within].flatMap((path) =>
    oddForms
      // A text beside calls is said before them.
      .filter(({ form }) => !(path.at(-1) === 'content' && ['a text', 'a list'].includes(form)))
      .map(({ form, change }) => {
        const reply = sendsJson(changedAt(answers(plain), path, change));
        return made(`JSON, ${nameOf(path)} is ${form}`, reply);
      }),
  );
  const formed = FORMS.flatMap(([form, expected, put]): Behaviour[] => {
    const calls = texts.map((text, at) => ({
      id: `call_${at}`,
      type: 'function',
      function: { name: TOOL, arguments: put(text) },
    }));
    const event = frame(chunk({ tool_calls: calls.map((call, index) => ({ index, ...call })) }));
    return [
      made(`JSON, arguments ${form}`, sendsJson(answers(calls)), expected),
      made(`event, arguments ${form}`, sends([begun, event, ...ended()]), expected),
    ];
  });
  const nameless = ([['function'], ['function', 'name']] as const).flatMap((path) =>
    oddForms.map(({ form, change }) => {
      const calls = plain.map((call) => Object(changedAt(call, path, change)));
      return made(`JSON, ${nameOf(path)} of both is ${form}`, sendsJson(answers(calls)), 'open');
    }),
  );
  return [...json, ...formed, ...nameless];
}

/** Ends of an answer with calls. */
function ends(): Behaviour[] {
  const parts = plain.map((call, index) => frame(chunk({ tool_calls: [{ index, ...call }] })));
  const reasons = ['stop', 'STOP', 'function_call', 'tool_use', 'eos'];
  const ending = callsOf('ends of calls');
  const made = (name: string, events: string[], how?: 'hangs up' | 'stays'): Behaviour =>
    ending(name, sends(events, {}, how));
  return [
    ...reasons.flatMap((reason): Behaviour[] => [
      ending(`JSON, finish reason ${reason}`, sendsJson(answers(plain, reason))),
      made(`finish reason ${reason}`, [begun, ...parts, ...ended(reason)]),
    ]),
    made('no finish reason', [begun, ...parts, DONE]),
    made('no [DONE]', [begun, ...parts, ...ended().slice(0, 1)]),
    made('no [DONE] and an open connection', [begun, ...parts, ...ended().slice(0, 1)], 'stays'),
    made('an open connection', [begun, ...parts, ...ended()], 'stays'),
    made('a broken connection', [begun, ...parts, ...ended().slice(0, 1)], 'hangs up'),
    made('the finish reason with the last call', [
      begun,
      parts[0] ?? '',
      frame(chunk({ tool_calls: [{ index: 1, ...plain[1] }] }, 'tool_calls')),
      DONE,
    ]),
    made('the reason of each call', [
      begun,
      ...plain.map((call, index) =>
        frame(chunk({ tool_calls: [{ index, ...call }] }, 'tool_calls')),
      ),
      DONE,
    ]),
    made('empty texts between', [
      begun,
      ...parts.flatMap((part) => [frame(chunk({ content: '' })), part]),
      ...ended(),
    ]),
    made('as text', [
      begun,
      ...texts.map((text) =>
        frame(
          chunk({
            content: `<tool_call>\n{"name": "${TOOL}", "arguments": ${text}}\n</tool_call>\n`,
          }),
        ),
      ),
      ...ended('stop'),
    ]),
    ...framings.map(([name, form]) => ending(name, form([begun, ...parts, ...ended()]))),
  ];
}

/** What a vendor of OpenAI's dialect may do with calls. */
export const openAiCalls = (): Behaviour[] => [...mixes(), ...together(), ...fields(), ...ends()];
