import { Unavailable } from '../../src/kernel/errors.ts';
import type { FinishReason, ModelDelta, ModelTool } from './provider.ts';
import { beginsCall, CALL_MARKS, writtenCalls } from './written-calls.ts';

/** Between these a model thinks in its text, where its server does not part the two. */
const THOUGHTS = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<seed:think>', '</seed:think>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
] as const;
/** The end of a thought that the template of a model opened, so that its text begins inside. */
const END = '</think>';
const LATE_END = /(?<!`)<\/think>[ \t]*(?=\n)/;
const RECENT = 32;
const MARKS = [...THOUGHTS.map(([open]) => open), ...CALL_MARKS, END];

/** Ends of answers that say something; the others say why they do not. */
const MUST_SAY: ReadonlySet<FinishReason> = new Set(['stop', 'tool_calls']);

type Text = Extract<ModelDelta, { type: 'text' }>;
type Logprobs = NonNullable<Text['logprobs']>;

type Expected = {
  /** Calls of these may be in the text. */
  tools: readonly ModelTool[];
  /** The body that is answered: a call that is in its texts is quoted from there, and no call of the model. */
  sent: object;
  /** The text begins in a thought. */
  thinksFirst: boolean;
};

/**
 * What a vendor's deltas say, in whole characters: thinking at the beginning of its text and, with `tools`, calls
 * from the beginning of a line to the end become reasoning and calls. `finish` of an answer that says nothing throws Unavailable; it says
 * `thinksFirst` where the text had the end of a thought that nothing opened, or, although it was expected, had none.
 */
export function wordsOf({ tools, sent, thinksFirst }: Expected) {
  let state: 'begins' | 'thinks' | 'says' = 'begins';
  let held = '';
  let probabilities: Logprobs[number][] = [];
  const thought = newThought();
  const late = lateEnds();
  const { whole, half } = wholeCharacters();
  const { seen, said, plainly, unsaid, reasoned } = newSayings(
    late.note,
    writtenCalls(tools, sent),
  );

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
    // The blank lines after a thought are none of the answer.
    if (thought.isRead()) held = text;
    const opened = thoughtIn(text);
    if (opened) return think('opened', opened.close, opened.held);
    // Nearly every answer begins with a text that is none of the marks.
    if (text === '' || MARKS.some((mark) => mark.startsWith(text) && mark !== text)) return [];
    const isCall = tools.length > 0 && beginsCall(text);
    if (isCall) held = text;
    else if (!seen.reasoning && !thought.isRead()) {
      if (hasLateEnd(text)) return think('late', END, text);
      if (thinksFirst) return think('presumed', END, text);
    }
    state = 'says';
    return release();
  }

  function think(kind: Thought, end: string, text: string): ModelDelta[] {
    state = 'thinks';
    held = text;
    thought.begin(kind, end);
    return thinking();
  }

  function thinking(): ModelDelta[] {
    const { text, left, isEnded, isLate } = thought.read(held);
    held = left;
    if (!isEnded) return reasoned(text);
    if (isLate) late.found(true);
    probabilities = [];
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
    return state === 'begins' ? begun() : thinking();
  }

  function rest(reason?: FinishReason): ModelDelta[] {
    held += half();
    const was = state;
    state = 'says';
    const presumed = was === 'thinks' ? thought.presumed() : '';
    if (presumed === null || (was === 'thinks' && reason === 'length')) return reasoned(taken());
    if (was === 'thinks') late.found(false);
    held = `${presumed}${held}`;
    return [...release(), ...unsaid()];
  }

  return {
    /** Texts may be said as they come. */
    isPlain: (): boolean => state === 'says',
    /** A text that is said as it comes. */
    plain: (text: string): string => plainly(whole(text)),
    take(delta: ModelDelta): ModelDelta[] {
      if (delta.type === 'text') return took(delta);
      if (delta.type === 'reasoning') {
        seen.reasoning ||= delta.text !== '';
        return [delta];
      }
      if (delta.type === 'toolCall') {
        seen.call ||= Boolean(delta.name);
        return thought.presumed() === null ? [delta] : [...rest(), delta];
      }
      const others = rest(delta.reason);
      if (!seen.text && !seen.call && MUST_SAY.has(delta.reason)) throw noAnswer(seen.reasoning);
      return [
        ...others,
        late.isKnown(thinksFirst) ? delta : { ...delta, thinksFirst: !thinksFirst },
      ];
    },
  };
}

/** What an answer shows of how its model's texts begin. */
function lateEnds() {
  let isLate: boolean | null = null;
  let recent = '';
  return {
    /** Notes the end of a thought in what is said as text, and cannot be taken back. */
    note(text: string): void {
      if (isLate !== null) return;
      recent += text;
      if (recent.includes('<think>')) isLate = false;
      else if (LATE_END.test(recent)) isLate = true;
      recent = recent.slice(-RECENT);
    },
    found(given: boolean): void {
      isLate = given;
    },
    isKnown: (expected: boolean): boolean => isLate === null || isLate === expected,
  };
}

/** Whether a text has the end of a thought that nothing in it opened. */
function hasLateEnd(text: string): boolean {
  const at = text.startsWith(END) ? 0 : text.search(LATE_END);
  return at === 0 || (at > 0 && !text.slice(0, at).includes('<think>'));
}

/** What an answer says, and whether it says something; a call in its text is held to the end. */
function newSayings(note: (text: string) => void, written: ReturnType<typeof writtenCalls>) {
  const seen = { text: false, call: false, reasoning: false };
  function heard(text: string): string {
    note(text);
    seen.text ||= text.trim() !== '';
    return text;
  }
  const plainly = (text: string): string => heard(written.take(text));
  function said(given: string, logprobs: Logprobs = []): ModelDelta[] {
    const text = plainly(given);
    if (text === '' && logprobs.length === 0) return [];
    return [{ type: 'text', text, ...(logprobs.length > 0 ? { logprobs } : {}) }];
  }
  return {
    seen,
    said,
    plainly,
    /** What is held: calls, or a text after all. */
    unsaid(): ModelDelta[] {
      const { text, calls } = written.end();
      if (calls !== null && !seen.call) {
        seen.call = true;
        return calls;
      }
      return text === '' ? [] : [{ type: 'text', text: heard(text) }];
    },
    reasoned(text: string): ModelDelta[] {
      seen.reasoning ||= text !== '';
      return text === '' ? [] : [{ type: 'reasoning', text }];
    },
  };
}

/** What makes a text a thought: a mark before it, the mark after it alone, or earlier answers of the model. */
type Thought = 'opened' | 'late' | 'presumed';

/** A thought while it is read. */
function newThought() {
  let kind: Thought = 'opened';
  let close = '';
  let presumed = '';
  let hasEnded = false;
  return {
    begin(given: Thought, end: string): void {
      kind = given;
      close = end;
    },
    /** One has ended. */
    isRead: (): boolean => hasEnded,
    /** What was read of a presumed thought; null: it is none, or surely one. */
    presumed: () => (kind === 'presumed' ? presumed : null),
    /** What of a text is thought, and what is left of it: what may be its end, or what comes after it. */
    read(given: string) {
      const at = given.indexOf(close);
      if (at === -1) {
        const end = given.length - beginningOf(close, given);
        const text = given.slice(0, end);
        presumed += kind === 'presumed' ? text : '';
        return { text, left: given.slice(end), isEnded: false, isLate: false };
      }
      const isLate = kind !== 'opened';
      kind = 'opened';
      hasEnded = true;
      const left = given.slice(at + close.length).trimStart();
      return { text: given.slice(0, at).trimEnd(), left, isEnded: true, isLate };
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
