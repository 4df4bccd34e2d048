import { Unavailable } from '../../src/kernel/errors.ts';
import type { FinishReason, ModelDelta } from './provider.ts';

/** Between these a model thinks in its text, where its server does not part the two. */
const THOUGHTS = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<seed:think>', '</seed:think>'],
  ['[THINK]', '[/THINK]'],
] as const;
const CALL = '<tool_call>';
const CALLS = /<tool_call>([\s\S]*?)(?:<\/tool_call>|(?=<tool_call>)|$)/g;
const MARKS = [...THOUGHTS.map(([open]) => open), CALL];

/** Ends of answers that say something; the others say why they do not. */
const MUST_SAY: ReadonlySet<FinishReason> = new Set(['stop', 'tool_calls']);

type Text = Extract<ModelDelta, { type: 'text' }>;
type Logprobs = NonNullable<Text['logprobs']>;

/**
 * What a vendor's deltas say, in whole characters: thinking and, with `hasTools`, calls that a model writes at the
 * beginning of its text become reasoning and calls. `finish` of an answer that says nothing throws Unavailable.
 */
export function wordsOf(hasTools: boolean) {
  let state: 'begins' | 'thinks' | 'calls' | 'says' = 'begins';
  let held = '';
  let probabilities: Logprobs[number][] = [];
  let close = '';
  const { whole, half } = wholeCharacters();
  const seen = { text: false, call: false, reasoning: false };

  function said(text: string, logprobs: Logprobs = []): ModelDelta[] {
    seen.text ||= text.trim() !== '';
    if (text === '' && logprobs.length === 0) return [];
    return [{ type: 'text', text, ...(logprobs.length > 0 ? { logprobs } : {}) }];
  }

  function reasoned(text: string): ModelDelta[] {
    seen.reasoning ||= text !== '';
    return text === '' ? [] : [{ type: 'reasoning', text }];
  }

  function taken(): string {
    const text = held;
    held = '';
    return text;
  }

  /** What is held becomes text. */
  function release(): ModelDelta[] {
    const logprobs = probabilities;
    probabilities = [];
    return said(taken(), logprobs);
  }

  function begun(): ModelDelta[] {
    const text = held.trimStart();
    const thought = thoughtIn(text);
    if (thought) {
      state = 'thinks';
      ({ close, held } = thought);
      probabilities = [];
      return thinking();
    }
    if (hasTools && text.startsWith(CALL)) state = 'calls';
    if (state === 'calls') return [];
    // Nearly every answer begins with a text that is none of the marks.
    if (text === '' || MARKS.some((mark) => mark.startsWith(text))) return [];
    state = 'says';
    return release();
  }

  function thinking(): ModelDelta[] {
    const at = held.indexOf(close);
    if (at === -1) {
      const open = held.length - beginningOf(close, held);
      const text = held.slice(0, open);
      held = held.slice(open);
      return reasoned(text);
    }
    const text = held.slice(0, at).trimEnd();
    held = held.slice(at + close.length).trimStart();
    state = 'begins';
    return [...reasoned(text), ...begun()];
  }

  function took({ text, logprobs = [], isRefusal }: Text): ModelDelta[] {
    if (isRefusal) {
      seen.text = true;
      return [...rest(), { type: 'text', text: whole(text), isRefusal }];
    }
    const given = whole(text);
    if (state === 'says') return said(given, logprobs);
    held += given;
    probabilities.push(...logprobs);
    if (state === 'begins') return begun();
    return state === 'thinks' ? thinking() : [];
  }

  function rest(): ModelDelta[] {
    held += half();
    const was = state;
    state = 'says';
    if (was === 'thinks') return reasoned(taken());
    const calls = was === 'calls' && !seen.call ? callsIn(held) : null;
    if (calls === null) return release();
    held = '';
    seen.call = true;
    return calls;
  }

  return {
    /** Texts may be said as they come. */
    isPlain: (): boolean => state === 'says',
    /** A text that is said as it comes. */
    plain(text: string): string {
      seen.text ||= text.trim() !== '';
      return whole(text);
    },
    take(delta: ModelDelta): ModelDelta[] {
      if (delta.type === 'text') return took(delta);
      if (delta.type === 'reasoning') {
        seen.reasoning ||= delta.text !== '';
        return [delta];
      }
      if (delta.type === 'toolCall') {
        seen.call ||= Boolean(delta.name);
        return [delta];
      }
      const left = rest();
      if (!seen.text && !seen.call && MUST_SAY.has(delta.reason)) throw noAnswer(seen.reasoning);
      return [...left, delta];
    },
  };
}

function thoughtIn(text: string): { close: string; held: string } | null {
  const [open = '', close = ''] = THOUGHTS.find(([mark]) => text.startsWith(mark)) ?? [];
  return open === '' ? null : { close, held: text.slice(open.length).trimStart() };
}

function wholeCharacters() {
  let half = '';
  return {
    /** Without the half of a character at its end, which waits for the other half; a lone half is replaced. */
    whole(text: string): string {
      const joined = half + text;
      const last = joined.charCodeAt(joined.length - 1);
      half = last >= 0xd800 && last <= 0xdbff ? joined.slice(-1) : '';
      return joined.slice(0, joined.length - half.length).toWellFormed();
    },
    /** What still waits, at the end. */
    half: (): string => half.toWellFormed(),
  };
}

const noAnswer = (hasReasoned: boolean) =>
  new Unavailable(
    hasReasoned
      ? 'The model reasoned and gave no answer'
      : 'The model provider sent no answer: no text and no call',
  );

/** How many characters at the end of a text may be the beginning of `mark`. */
function beginningOf(mark: string, text: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1)
    if (mark.startsWith(text.slice(-length))) return length;
  return 0;
}

/** The calls that a text consists of; null where it holds anything else. */
function callsIn(text: string): ModelDelta[] | null {
  if (text.replaceAll(CALLS, '').trim() !== '') return null;
  const calls = [...text.matchAll(CALLS)].map(([, json = ''], index) => callIn(json, index));
  return calls.every((call) => call !== null) ? calls : null;
}

function callIn(text: string, index: number): ModelDelta | null {
  try {
    const call: unknown = JSON.parse(text);
    if (typeof call !== 'object' || call === null || !('name' in call)) return null;
    const { name } = call;
    const given = 'arguments' in call ? call.arguments : {};
    if (typeof name !== 'string') return null;
    const json = typeof given === 'string' ? given : JSON.stringify(given);
    return { type: 'toolCall', index, name, arguments: json };
  } catch {
    return null;
  }
}
