import type { Reply } from '../../neighbours/model.ts';

/** What the model of a behaviour says. */
export const TEXT = 'It is 21.5 °C in hall 4 — 暖かい, as “asked” \\ 🌡️.';
/** What the second provider says. */
export const SECOND = 'The second provider answers.';
/** What a model says that refuses. */
export const REFUSES = 'I must not.';
/** Of the two calls that a behaviour may make side by side, both of `TOOL`. */
export const TOOL = 'searchDevices';
export const ARGUMENTS = [{ query: 'boiler "4"' }, { query: 'hall {4}' }] as const;
/** The vendor's own words in an error. */
export const WORDS = 'the furnace of the model is cold';

/**
 * What a rule says of an answer, by what its bytes hold. `answer`: the whole answer is there; `fallback`: none is there
 * and nothing was said, so that the second provider has the turn; `broken`: some text, then a failure; `refused`: an
 * error that names the cause; `open`: the bytes may be read or not, but neither blank nor half.
 */
export type Expected = 'answer' | 'fallback' | 'broken' | 'refused' | 'open';

export type Behaviour = {
  rule: string;
  name: string;
  /** `calls`: asks for the two calls of ARGUMENTS, then says TEXT. */
  kind: 'text' | 'calls';
  expected: Expected;
  /** Only asked of a model that cannot stream, where false. */
  streams?: boolean;
  reply: Reply;
};
