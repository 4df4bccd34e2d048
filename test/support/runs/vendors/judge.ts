import { isDeepStrictEqual } from 'node:util';

import {
  ARGUMENTS,
  type Behaviour,
  type Expected,
  REFUSES,
  SECOND,
  TEXT,
  TOOL,
  WORDS,
} from './behaviour.ts';

/** What a client heard of a turn. */
export type Heard = { status: number; text: string; finish: string | null; error: string | null };

/** A call as the vendor got it back, with whether its result is one. */
export type Returned = { name: string; arguments: unknown; ok: boolean };

/** What is wrong with an answer; null: nothing. `returned`: of a turn with calls, what came back to the vendor. */
export function wrongWith(
  { expected, kind }: Pick<Behaviour, 'expected' | 'kind'>,
  heard: Heard,
  returned: readonly Returned[] | null,
): string | null {
  const { error, finish } = heard;
  const text = heard.text.trim();
  if (error === null && text === '') return 'a blank success';
  if (error === null && finish === null) return 'a success without an end';
  const isAnswer = error === null && text === TEXT;
  const isSecond = error === null && text === SECOND;
  const got = error === null ? `“${text.slice(0, 80)}”` : `${heard.status} ${error.slice(0, 120)}`;
  if (kind === 'calls' && isAnswer && expected === 'answer') return callsWrong(returned);
  const isRight = {
    answer: isAnswer,
    fallback: isSecond,
    broken: error !== null,
    refused: error?.includes(WORDS) === true,
    open: isAnswer || isSecond || error !== null || text.includes(REFUSES),
  };
  return isRight[expected] ? null : `${WRONG[expected]}: ${got}`;
}

const WRONG = {
  answer: 'the answer is lost',
  fallback: 'the second provider was not asked',
  broken: 'half an answer is shown as whole',
  refused: 'the cause is not named',
  open: 'neither answer nor failure',
} as const satisfies Record<Expected, string>;

function callsWrong(returned: readonly Returned[] | null): string | null {
  if (!returned) return 'no call came back to the vendor';
  const wanted = ARGUMENTS.map((given) => ({ name: TOOL, arguments: given, ok: true }));
  return isDeepStrictEqual(returned, wanted)
    ? null
    : `the calls came back as ${JSON.stringify(returned).slice(0, 240)}`;
}
