import { createHash, randomBytes } from 'node:crypto';

import type {
  FinishReason,
  ModelMessage,
  ToolCall,
} from '../../../../providers/request/provider.ts';
import type { Step } from '../../accounting/step.ts';
import type { AskDelta } from '../../provider/ask/attempt.ts';
import type { Source } from '../../session/citation.ts';
import type { Plot } from '../../session/plots.ts';

export type Logprobs = readonly Record<string, unknown>[];

export type TurnHead = {
  id: string;
  created: number;
  model: string;
  provider: string;
  conversationId: string;
  /** The conversation is there already, or will be: its id is of use to the client. */
  isStored: boolean;
};

type Stop = 'answered' | 'pending' | 'limit' | 'deadline' | 'client_tools';
/**
 * One tool call of a turn, with the tool's domain and title (docs/specification/tools.md 2 and
 * docs/specification/tools.md 5).
 */
export type ToolTrace = {
  callId: string;
  name: string;
  title: string;
  domain: string;
  /** Arguments and result in short, for the person that asked. */
  args: string;
  result: string;
  plots: Plot[];
  status: 'success' | 'failed';
  durationMs: number;
};

/**
 * Events of a turn, in order; `end` comes last, unless the turn throws. A `message` event holds a complete
 * message of the model or of a tool, as the next round sends it.
 */
export type TurnEvent =
  | { type: 'text'; text: string; logprobs?: Logprobs; isRefusal?: boolean }
  /** Goes to the caller, and nowhere else: it may quote texts of anyone. */
  | { type: 'reasoning'; text: string }
  | {
      type: 'tool.start';
      callId: string;
      name: string;
      title: string;
      args: string;
      argsDigest: string;
    }
  | ({ type: 'tool.end' } & ToolTrace)
  | { type: 'action'; actionId: string }
  | { type: 'decided'; actionId: string }
  /** What a tool returned: values of points, and how many there are. */
  | { type: 'values'; sources: readonly Source[]; values: number }
  | Extract<AskDelta, { type: 'fallback' | 'ignored' }>
  | { type: 'message'; message: ModelMessage }
  /** Calls of the client's tools, which end the turn until their results come. */
  | { type: 'handed'; calls: readonly ToolCall[] }
  | TurnEnd;
export type TurnEnd = {
  type: 'end';
  stop: Stop;
  reason: FinishReason;
  rounds: number;
  steps: readonly Step[];
};
export type ToolEvent = Extract<TurnEvent, { type: 'tool.start' | 'tool.end' }>;

const MAX_SHOWN = 300;

/** Arguments in comparable form: spacing and the order of top-level keys do not count. */
export function sameArguments(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text || '{}');
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return text;
    return JSON.stringify(Object.entries(parsed).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  } catch {
    return text;
  }
}

export const inShort = (text: string): string =>
  text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1).toWellFormed()}…`;

export const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12);

/** Ids of calls that a client runs name the stored steps of the turn that they belong to. */
const CALL_ID = /^call_([0-9a-f]{24})_\d{1,3}$/;

export const newHandle = (): string => randomBytes(12).toString('hex');

export const clientCallId = (handle: string, index: number): string => `call_${handle}_${index}`;

/** The handle in an id; undefined for an id that the platform did not give. */
export const handleIn = (callId: string): string | undefined => CALL_ID.exec(callId)?.[1];
