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
  | { type: 'sources'; sources: readonly Source[] }
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
