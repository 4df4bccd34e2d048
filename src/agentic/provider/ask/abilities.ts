import type {
  ModelMessage,
  ModelRequest,
  ModelTool,
} from '../../../../providers/request/provider.ts';

/** What a model answered. */
export type Answered = {
  text: string;
  calls: { name: string; arguments: string }[];
  /** In how many pieces its text came. */
  pieces: number;
};

/** Null: its answer does not show it. */
export type Verdict = { ok: boolean | null; reason: string };
type Ability = {
  asks: Omit<ModelRequest, 'model'>;
  shows(answered: Answered): Verdict;
};

const YES: Verdict = { ok: true, reason: '' };
const no = (reason: string): Verdict => ({ ok: false, reason });
const said = ({ text }: Answered): string =>
  text.trim() === '' ? 'it said nothing' : `it said: ${text.trim().slice(0, 80)}`;
const holds = (answered: Answered, word: string): Verdict =>
  answered.text.toLowerCase().includes(word) ? YES : no(said(answered));

const user = (content: string): ModelMessage => ({ role: 'user', content });
/** Enough for a model that reasons first. */
const MAX_TOKENS = 4_096;
const plain = (...messages: ModelMessage[]) => ({ messages, tools: [], maxTokens: MAX_TOKENS });

const LOOK: ModelTool = {
  name: 'readTemperature',
  description: 'Reads the temperature of a room in °C.',
  parameters: {
    type: 'object',
    properties: { room: { type: 'string', description: 'Its name' } },
    required: ['room'],
    additionalProperties: false,
  },
};
const asking = (...messages: ModelMessage[]) => ({
  messages,
  tools: [LOOK],
  maxTokens: MAX_TOKENS,
});

/** The rooms that its calls name. */
function roomsIn({ calls }: Answered): string[] {
  return calls.flatMap(({ name, arguments: text }) => {
    try {
      const given: unknown = JSON.parse(text);
      const room = typeof given === 'object' && given !== null && 'room' in given && given.room;
      return name === LOOK.name && typeof room === 'string' ? [room.toUpperCase()] : [];
    } catch {
      return [];
    }
  });
}
const calls = (answered: Answered, ...rooms: string[]): Verdict => {
  const found = roomsIn(answered);
  if (rooms.every((room) => found.some((one) => one.includes(room)))) return YES;
  if (answered.calls.length === 0) return no(`it called no tool; ${said(answered)}`);
  const made = answered.calls.map(({ name, arguments: text }) => `${name}(${text.slice(0, 40)})`);
  return no(`it called ${made.join(', ').slice(0, 120)}`);
};

const CALL = { id: 'call00001', name: LOOK.name, arguments: '{"room":"K7"}' };
/** 64 by 64 pixels of pure red. */
const RED =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PQQkAAAgAsetfWiP4FgYrsKZeS0BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEDgsqnc8OJg6Ln3AAAAAElFTkSuQmCC';
/** About as much text as the tools and the past of a turn. */
const PAGES = Array.from(
  { length: 400 },
  (_, at) => `Line ${at + 1}: the pump of hall ${at % 17} ran for ${(at * 37) % 60} minutes.`,
).join('\n');
const PASSWORD = 'copper-kettle-41';

/** What a model is asked for, in the order in which it is shown. */
export const abilities = {
  answer: {
    asks: plain(user('Say hello in five words.')),
    shows: (one) => (one.text.trim() === '' ? no(said(one)) : YES),
  },
  stream: {
    asks: plain(user('Count from one to forty in words, with commas between them.')),
    // A short answer of a fast model may come at once.
    shows: ({ pieces, text }) =>
      text.trim() === ''
        ? no('it said nothing')
        : pieces > 1
          ? YES
          : { ok: null, reason: 'its answer came in one piece' },
  },
  system: {
    asks: plain(
      { role: 'system', content: 'Whatever you are asked, you answer with the one word kettle.' },
      user('How are you?'),
    ),
    shows: (one) => holds(one, 'kettle'),
  },
  tool: {
    asks: asking(user('How warm is room K7? Use the tool.')),
    shows: (one) => calls(one, 'K7'),
  },
  parallel: {
    asks: asking(user('How warm are the rooms K7 and M2? Call the tool for both at once.')),
    shows: (one) => calls(one, 'K7', 'M2'),
  },
  result: {
    asks: asking(
      user('How warm is room K7? Use the tool.'),
      { role: 'assistant', content: '', toolCalls: [CALL] },
      { role: 'tool', toolCallId: CALL.id, content: '{"celsius":23.5}' },
    ),
    shows: ({ text, ...one }) => (/23[.,]5/.test(text) ? YES : no(said({ text, ...one }))),
  },
  json: {
    asks: {
      ...plain(user('What is six times seven?')),
      options: {
        format: {
          type: 'json_schema',
          name: 'product',
          schema: {
            type: 'object',
            properties: { product: { type: 'integer' } },
            required: ['product'],
            additionalProperties: false,
          },
          strict: true,
        },
      },
    },
    shows: (one) => (/^\s*\{\s*"product"\s*:\s*42\s*\}\s*$/.test(one.text) ? YES : no(said(one))),
  },
  image: {
    asks: plain({
      role: 'user',
      content: 'Which colour has this picture? One word.',
      media: [{ kind: 'image', mediaType: 'image/png', base64: RED }],
    }),
    shows: (one) => holds(one, 'red'),
  },
  long: {
    asks: plain(
      user(`The password is ${PASSWORD}.\n${PAGES}\nWhich password was named at the beginning?`),
    ),
    shows: (one) => holds(one, PASSWORD),
  },
} as const satisfies Record<string, Ability>;
