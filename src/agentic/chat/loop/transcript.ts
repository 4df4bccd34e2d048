import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type {
  FinishReason,
  ModelDelta,
  ModelMessage,
  Say,
  Usage,
} from '../../../../providers/request/provider.ts';
import type { App } from '../../../kernel/app/app.ts';
import type { ModelQuestion } from '../../provider/ask/ask.ts';
import type { AskDelta } from '../../provider/ask/attempt.ts';
import type { TurnOptions } from './loop.ts';

const MAX_FILES = 1_000;
const MAX_BYTES = 256 * 1024;

/** What a vendor answered one request, as the transcripts of tests have it. */
type Said = { say: string } | { calls: [tool: string, input: unknown][] };
type Round = {
  tools: string[];
  /** Of the tools that the model had asked for in this turn. */
  results: unknown[];
  said: Said;
  reason: FinishReason;
  usage?: Usage;
};

/**
 * With AGENTIC_RECORD, the turn's exchanges with its vendor are written into a file of that directory, redacted, after
 * each answer: at most 1,000 files of 256 KB. Without it the options as they are.
 */
export function recorded(app: App, options: TurnOptions): TurnOptions {
  const directory = app.config.agentic.record;
  if (directory === null) return options;
  const file = join(directory, `turn-${randomBytes(8).toString('hex')}.json`);
  const rounds: Heard[] = [];
  const { asking } = options;
  async function* complete(
    request: ModelQuestion,
    signal: AbortSignal,
    say?: Say,
  ): AsyncGenerator<AskDelta> {
    const heard = newHeard(request);
    const spoken: Say | undefined =
      say &&
      ((text) => {
        heard.take({ type: 'text', text });
        return say(text);
      });
    for await (const delta of asking.complete(request, signal, spoken)) {
      if (delta.type !== 'fallback' && delta.type !== 'ignored' && delta.type !== 'again')
        heard.take(delta);
      yield delta;
    }
    rounds.push(heard);
    await write(directory ?? '', file, transcriptOf(rounds)).catch((error: unknown) =>
      app.log.warn({ error }, 'a turn was not recorded'),
    );
  }
  return { ...options, asking: { ...asking, complete } };
}

async function write(directory: string, file: string, transcript: object): Promise<void> {
  const text = `${JSON.stringify(transcript, null, 1)}\n`;
  if (Buffer.byteLength(text) > MAX_BYTES) throw new Error('the turn is too long');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const present = await readdir(directory);
  if (present.length >= MAX_FILES && !present.some((name) => file.endsWith(name)))
    throw new Error(`there are ${MAX_FILES} files already`);
  await writeFile(file, text, { mode: 0o600 });
}

type Heard = ReturnType<typeof newHeard>;

/** One exchange while it goes on. */
function newHeard({ messages, tools }: ModelQuestion) {
  const calls = new Map<number, { name: string; text: string }>();
  let say = '';
  let reason: FinishReason = 'stop';
  let usage: Usage | undefined;
  return {
    question: questionOf(messages),
    tools: tools.map(({ name }) => name),
    results: resultsOf(messages),
    take(delta: ModelDelta): void {
      if (delta.type === 'reasoning') return;
      if (delta.type === 'text') say += delta.text;
      else if (delta.type === 'toolCall') {
        const call = calls.get(delta.index) ?? { name: '', text: '' };
        call.name ||= delta.name ?? '';
        call.text += delta.arguments ?? '';
        calls.set(delta.index, call);
      } else ({ reason, usage } = delta);
    },
    end: () => ({ say, calls: [...calls.values()], reason, usage }),
  };
}

function transcriptOf(rounds: readonly Heard[]) {
  const redact = redactor();
  for (const { results } of rounds) redact.learn(results);
  return {
    v: 1,
    question: redact.text(rounds[0]?.question ?? ''),
    rounds: rounds.map(({ tools, results, end }): Round => {
      const { say, calls, reason, usage } = end();
      const asked = calls.map(({ name, text }): [string, unknown] => [
        name,
        redact.json(parsed(text)),
      ]);
      return {
        tools,
        results: results.map((result) => redact.json(result)),
        said: asked.length > 0 ? { calls: asked } : { say: redact.text(say) },
        reason,
        ...(usage && { usage }),
      };
    }),
  };
}

const lastQuestion = (messages: readonly ModelMessage[]): number =>
  messages.findLastIndex(({ role }) => role === 'user');

const questionOf = (messages: readonly ModelMessage[]): string =>
  textOf(messages[lastQuestion(messages)]?.content);

const resultsOf = (messages: readonly ModelMessage[]): unknown[] =>
  messages
    .slice(lastQuestion(messages) + 1)
    .flatMap((message) => (message.role === 'tool' ? [parsed(textOf(message.content))] : []));

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content ?? '');

/** Text that is no JSON stays text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Keys of results with an id, and with a text that a tenant chose. */
const ID_KEY = /^(id|ids|.*(Id|Ids))$/;
const NAME_KEY = /^(name|label|title|remark|reason|comment|.*(Name|Code|Label|Remark))$/;
const MIN_NAME = 2;

/** What is replaced wherever it occurs in a text: secrets, people's addresses, machines, ids of proposals. */
const PATTERNS: readonly [kind: string, pattern: RegExp][] = [
  ['secret', /\b(?:Bearer\s+)?(?:sk|pk|svc|key|tok|ghp)[-_][\w.~+/-]{8,}/gi],
  ['secret', /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g],
  ['secret', /\bBearer\s+[\w.~+/=-]{8,}/gi],
  ['mail', /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g],
  ['url', /\bhttps?:\/\/[^\s"'<>)\]]+/g],
  ['address', /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g],
  ['uuid', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
];

/**
 * Replaces what tells of a tenant by numbered words (`name-1`, `id-2`), the same word for the same thing, so that what
 * belongs together still does.
 */
function redactor() {
  const words = new Map<string, string>();
  const counts = new Map<string, number>();
  const names = new Set<string>();

  const wordFor = (kind: string, thing: string): string => {
    const key = `${kind} ${thing.toLowerCase()}`;
    const known = words.get(key);
    if (known !== undefined) return known;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const word = `${kind}-${count}`;
    words.set(key, word);
    return word;
  };

  /** Collects the names in a result: they are replaced in every text. */
  function learn(value: unknown, key = ''): void {
    if (typeof value === 'string' && NAME_KEY.test(key) && value.length >= MIN_NAME)
      names.add(value);
    if (Array.isArray(value)) for (const item of value) learn(item, key);
    else if (typeof value === 'object' && value !== null)
      for (const [own, item] of Object.entries(value)) learn(item, own);
  }

  function text(given: string): string {
    let left = given;
    for (const [kind, pattern] of PATTERNS)
      left = left.replaceAll(pattern, (found) => wordFor(kind, found));
    // The longest first: a name may hold another.
    for (const name of [...names].toSorted((a, b) => b.length - a.length))
      left = left.replaceAll(new RegExp(RegExp.escape(name), 'gi'), () => wordFor('name', name));
    return left;
  }

  function json(value: unknown, key = ''): unknown {
    if (Array.isArray(value)) return value.map((item) => json(item, key));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([own, item]) => [own, json(item, own)]));
    const isId = ID_KEY.test(key) && (typeof value === 'number' || /^\d+$/.test(String(value)));
    if (isId) return wordFor('id', String(value));
    return typeof value === 'string' ? text(value) : value;
  }

  return { learn, text, json };
}
