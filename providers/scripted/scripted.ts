import type { ModelDelta, ModelMessage, OpenProvider } from '../request/provider.ts';
import { scripts } from './intents.ts';
import { bare, periodIn, phrases, type Request } from './phrases.ts';
import type { Scene, Script, Wish } from './steps.ts';

/** Ids of the synthetic calls with attachments as their result (src/agentic/attachment/data.ts). */
const ATTACHMENTS_CALL = /^att[0-9a-f]{6}$/;

const HELP = `I am the scripted demo model and understand a handful of requests:
- list devices
- which devices are offline
- are there any alarms
- alarms of dev-1
- why is there an alarm
- what happened in the last 8 hours
- points of dev-1
- what is the temperature of dev-1
- read the temperature of dev-1 (asks the device now)
- history of the temperature of dev-1 in the last 6 hours
- set dev-1's set-point to 21
- status of <action id>, or: did it work?
- undo it
- who am I`;

/**
 * A deterministic model for the demo and for tests. It keeps no state: every round replays the script of
 * the last user message over the tool answers so far, and makes the next call.
 */
export const scripted: OpenProvider = () => ({
  models: async () => ['scripted'],
  formatsWithTools: true,
  refuses: ['json_schema'],
  async *complete(request, signal) {
    const start = request.messages.findLastIndex((message) => message.role === 'user');
    const scene: Scene = {
      text: clean(request.messages[start]?.content ?? ''),
      system: request.messages.find((message) => message.role === 'system')?.content ?? '',
      tools: new Set(request.tools.map((tool) => tool.name)),
      attachments: json(
        request.messages.find((message, index) => index > start && isAttached(message))?.content ??
          '{}',
      ),
    };
    const step = replay(scriptFor(scene), answersIn(request.messages.slice(start + 1)));
    const isJson = request.options?.format !== undefined;
    const speak = (text: string) => words(isJson ? JSON.stringify({ answer: text }) : text);
    signal.throwIfAborted();
    if ('tool' in step && !scene.tools.has(step.tool)) {
      yield* speak(
        `I would need the tool ${step.tool} for that, and it is not offered to me here.`,
      );
    } else if ('tool' in step) {
      const count = request.messages.length - start;
      const text = JSON.stringify(step.arguments);
      yield { type: 'toolCall', index: 0, id: `call_${count}`, name: step.tool, arguments: text };
      yield { type: 'finish', reason: 'tool_calls', usage: usageOf(request.messages, text) };
      return;
    } else {
      yield* speak(step.say);
    }
    const said = 'say' in step ? step.say : '';
    yield { type: 'finish', reason: 'stop', usage: usageOf(request.messages, said) };
  },
});

function scriptFor(scene: Scene): Script {
  const { request, found } = understood(scene.text) ?? {};
  return request && found ? scripts[request](found, scene) : help();
}

const REQUESTS = Object.keys(phrases).filter((name): name is Request => name in phrases);

/** What is asked for, and what it names: device, point, value or action; null for other words. */
export function understood(text: string): Understood | null {
  const asked = bare(text);
  const period = periodIn(asked);
  const rest = period && formIn(bare(period.rest));
  if (period && rest && PERIODIC.includes(rest.request))
    return { ...rest, found: { ...rest.found, hours: String(period.hours) } };
  return formIn(asked);
}

type Understood = { request: Request; found: Record<string, string> };

/** Requests that look back. */
const PERIODIC: readonly Request[] = ['history', 'handover'];

function formIn(asked: string): Understood | null {
  for (const request of REQUESTS) {
    for (const { pattern, given } of phrases[request]) {
      const groups = pattern.exec(asked)?.groups ?? (pattern.test(asked) ? {} : null);
      if (groups) return { request, found: { ...given, ...groups } };
    }
  }
  return null;
}

// eslint-disable-next-line require-yield
function* help(): Script {
  return HELP;
}

function replay(script: Script, answers: readonly unknown[]): Wish | { say: string } {
  let step = script.next();
  for (const answer of answers) {
    if (step.done) break;
    step = script.next(answer);
  }
  return step.done ? { say: step.value } : step.value;
}

function answersIn(messages: readonly ModelMessage[]): unknown[] {
  return messages
    .filter((message) => message.role === 'tool' && !isAttached(message))
    .map(({ content }) => json(content));
}

const isAttached = (message: ModelMessage): boolean =>
  message.role === 'tool' && ATTACHMENTS_CALL.test(message.toolCallId);

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** One line, typographic quotes as typewriter ones, no closing punctuation, at most 500 characters. */
const clean = (text: string): string =>
  text
    .slice(0, 500)
    .replaceAll(/[‘’`´]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/[?.!？。！ ]+$/u, '');

function* words(text: string): Generator<ModelDelta> {
  for (const word of text.match(/\s*\S+/g) ?? []) yield { type: 'text', text: word };
}

/** A rough count, four characters to a token, so that usage has a plausible size. */
const usageOf = (messages: readonly ModelMessage[], said: string) => ({
  promptTokens: Math.ceil(messages.reduce((sum, { content }) => sum + content.length, 0) / 4),
  completionTokens: Math.ceil(said.length / 4),
});
