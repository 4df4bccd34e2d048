import type { ModelDelta, ModelTool } from './provider.ts';

const CALL = '<tool_call>';
const CALLS = /<tool_call>([\s\S]*?)(?:<\/tool_call>|(?=<tool_call>)|$)/g;
const LIST = '[TOOL_CALLS]';
/** What a line begins with that is a call, where the server of a model does not part calls from its text. */
export const CALL_MARKS = [CALL, LIST] as const;
const LINE_OF_CALL = /\n(?:<tool_call>|\[TOOL_CALLS\])/;

/** A call of Mistral's later templates, after its mark. */
const NAMED = /^([\w.-]{1,128})(?:\[CALL_ID\][\w-]*)?\[ARGS\]([\s\S]*)$/;
/** A call as Qwen's coding models write it. */
const FUNCTION = /^<function=([\w.-]{1,128})>([\s\S]*?)(?:<\/function>)?$/;
const PARAMETER = /<parameter=([\w.-]{1,128})>\n?([\s\S]*?)(?:\n?<\/parameter>|(?=<parameter=)|$)/g;

/**
 * Parts an answer from the calls of `tools` in its text, while it is said; without tools all is text, and so is a call
 * that the body `sent` has in a text: a model that repeats what a device or a document wrote calls nothing.
 */
export function writtenCalls(tools: readonly ModelTool[], sent: object) {
  /** Begins a line: a call, or what may be the beginning of its mark. */
  let held = '';
  let isCall = false;
  let beginsLine = true;
  return {
    /** What of a text may be said now; from a call on it is held. */
    take(text: string): string {
      if (isCall) held += text;
      if (isCall || text === '' || tools.length === 0) return isCall ? '' : text;
      const joined = held + text;
      held = '';
      const lines = beginsLine ? `\n${joined}` : joined;
      const at = LINE_OF_CALL.exec(lines);
      isCall = at !== null;
      const last = lines.slice((at?.index ?? lines.lastIndexOf('\n')) + 1);
      if (isCall || (last !== '' && lines.includes('\n') && isBeginning(last))) held = last;
      beginsLine = held !== '' || joined.endsWith('\n');
      return joined.slice(0, joined.length - held.length);
    },
    /** What was held, and its calls; null: it is a text. */
    end() {
      const text = held;
      held = '';
      isCall = false;
      const isOfModel = beginsCall(text) && !isQuoted(text, sent);
      return { text, calls: isOfModel ? callsIn(text, tools) : null };
    },
  };
}

/** Whether a text begins with the mark of a call. */
export const beginsCall = (text: string): boolean =>
  CALL_MARKS.some((mark) => text.startsWith(mark));

const EACH_CALL = /(?=<tool_call>|\[TOOL_CALLS\])/;
/** Spaces, and what JSON within JSON escapes. */
const WITHOUT_LAYOUT = /\\+[nrt]|[\\\s]/g;

/** Whether one of the calls in a text is, however laid out or escaped, in what was sent. */
function isQuoted(text: string, sent: object): boolean {
  const all = JSON.stringify(sent).replaceAll(WITHOUT_LAYOUT, '');
  return text
    .split(EACH_CALL)
    .some((call) =>
      all.includes(call.replace(/<\/tool_call>\s*$/, '').replaceAll(WITHOUT_LAYOUT, '')),
    );
}

const isBeginning = (text: string): boolean => CALL_MARKS.some((mark) => mark.startsWith(text));

type Call = Extract<ModelDelta, { type: 'toolCall' }>;
type Named = { name: string; arguments: string };

/** The calls that a text consists of; null where it holds anything else. `tools` say which arguments are texts. */
function callsIn(text: string, tools: readonly ModelTool[]): Call[] | null {
  const calls = text.trimStart().startsWith(LIST) ? listed(text) : tagged(text, tools);
  return calls?.map((call, index) => ({ type: 'toolCall', index, ...call })) ?? null;
}

function tagged(text: string, tools: readonly ModelTool[]): readonly Named[] | null {
  if (text.replaceAll(CALLS, '').trim() !== '') return null;
  return all(
    [...text.matchAll(CALLS)].map(
      ([, inside = '']) => namedIn(jsonIn(inside)) ?? functionIn(inside.trim(), tools),
    ),
  );
}

function listed(text: string): readonly Named[] | null {
  const parts = text.split(LIST).slice(1);
  return all(
    parts.flatMap((part) => {
      const { 1: name, 2: given = '' } = NAMED.exec(part.trim()) ?? [];
      if (name !== undefined)
        return jsonIn(given) === undefined ? [null] : [{ name, arguments: given.trim() }];
      const value = jsonIn(part);
      return (Array.isArray(value) ? value : [value]).map(namedIn);
    }),
  );
}

const all = (calls: readonly (Named | null)[]): readonly Named[] | null =>
  calls.length > 0 && calls.every((call) => call !== null) ? calls : null;

function namedIn(call: unknown): Named | null {
  if (typeof call !== 'object' || call === null || !('name' in call)) return null;
  const { name } = call;
  const given = 'arguments' in call ? call.arguments : {};
  if (typeof name !== 'string') return null;
  return { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) };
}

function functionIn(text: string, tools: readonly ModelTool[]): Named | null {
  const { 1: name, 2: inside = '' } = FUNCTION.exec(text) ?? [];
  if (name === undefined || inside.replaceAll(PARAMETER, '').trim() !== '') return null;
  const tool = tools.find((one) => one.name === name);
  const types = Object(tool?.parameters['properties']);
  const given = [...inside.matchAll(PARAMETER)].map(([, key = '', value = '']) => [
    key,
    Object(types[key]).type === 'string' ? value : (jsonIn(value) ?? value),
  ]);
  return { name, arguments: JSON.stringify(Object.fromEntries(given)) };
}

/** Undefined for what is no JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
