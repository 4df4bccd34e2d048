import type { Clock } from '../../src/kernel/clock.ts';
import type { Egress } from '../../src/kernel/egress/egress.ts';
import type { HttpProxy } from '../../src/kernel/egress/tunnel.ts';
import type { TimeLimits } from './limits.ts';
import type { Media } from './media.ts';
import type { Ignorable, ModelOptions, Refusable } from './options.ts';
import type { ParameterMap } from './parameters.ts';

/** A call the model asks for; `arguments` is JSON text as the model wrote it, possibly broken. */
export type ToolCall = {
  id: string;
  name: string;
  arguments: string;
  /** The vendor's id, where a client was given another one. */
  vendorId?: string;
  /** Of the vendor's own; the model that made the call gets it back unchanged. */
  extra?: Readonly<Record<string, unknown>>;
};

export const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;

/** How a model came to its calls, under the name that its vendor has for it; the same model gets it back unchanged. */
export type Reasoning = { field: (typeof REASONING_FIELDS)[number]; text: string };

export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string; media?: readonly Media[] }
  | {
      role: 'assistant';
      content: string;
      toolCalls?: readonly ToolCall[];
      reasoning?: Reasoning;
      /** Key of the model that made the reasoning and the extra content. */
      by?: string;
    }
  | { role: 'tool'; toolCallId: string; content: string };

export type ModelTool = {
  name: string;
  description: string;
  /** JSON schema of the arguments. */
  parameters: Record<string, unknown>;
  /** True: the arguments fit the schema, where the vendor can warrant it. */
  strict?: boolean;
};

export type ModelRequest = {
  model: string;
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  temperature?: number;
  maxTokens?: number;
  /** Set for a reasoning model only: `asked` when the user wants reasoning, else `usual`. */
  reasoning?: 'usual' | 'asked';
  options?: ModelOptions;
  /** False where the vendor cannot stream this model; it then answers in one piece. */
  stream?: boolean;
  /** Applied to the body in this order before it is sent. */
  parameters?: readonly ParameterMap[];
};

/** Of the prompt tokens, those that the vendor had cached; of the completion tokens, those of reasoning. */
export type Usage = {
  promptTokens: number;
  completionTokens: number;
  cachedTokens?: number;
  reasoningTokens?: number;
};

export const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

/** Names of vendors and gateways for the end of an answer, in small letters; any other one is a stop. */
const ENDS: ReadonlyMap<string, FinishReason | 'failed'> = new Map(
  Object.entries({
    length: 'length',
    max_tokens: 'length',
    max_output_tokens: 'length',
    model_length: 'length',
    model_context_window_exceeded: 'length',
    tool_calls: 'tool_calls',
    tool_use: 'tool_calls',
    function_call: 'tool_calls',
    content_filter: 'content_filter',
    refusal: 'content_filter',
    safety: 'content_filter',
    sensitive: 'content_filter',
    recitation: 'content_filter',
    blocklist: 'content_filter',
    prohibited_content: 'content_filter',
    error: 'failed',
    network_error: 'failed',
    insufficient_system_resource: 'failed',
    abort: 'failed',
    aborted: 'failed',
    cancelled: 'failed',
    malformed_function_call: 'failed',
  } as const),
);
/** How an answer ended by a vendor's name for it; `failed`: what there is of it is no whole answer. */
export const endOf = (given: string): FinishReason | 'failed' =>
  ENDS.get(given.toLowerCase()) ?? 'stop';

/**
 * Fragments of one call share `index`; `id` and `name` come with the first, arguments add up. Reasoning is no answer: it
 * is shown and given back, and an empty one says that the vendor has the field; without a field it is shown only.
 */
export type ModelDelta =
  | {
      type: 'text';
      text: string;
      logprobs?: readonly Record<string, unknown>[];
      /** Set where the model says why it does not answer. */
      isRefusal?: true;
    }
  | { type: 'reasoning'; text: string; field?: Reasoning['field'] }
  | ({ type: 'toolCall'; index: number } & Partial<ToolCall>)
  | {
      type: 'finish';
      reason: FinishReason;
      usage?: Usage;
      /** Set where the answer showed that texts of its model begin in a thought, or do so no more. */
      thinksFirst?: boolean;
    };

/** Takes a text at once; the next one waits for the promise, where there is one. */
export type Say = (text: string) => Promise<void> | undefined;

/**
 * A vendor's model behind one neutral shape. `complete` yields at most one `finish`, as the last delta; it
 * throws AppError subclasses (kernel/errors.ts) and the reason of `signal`. Texts without probabilities may go to `say`
 * as they are read, in place of deltas: a delta passes a generator of each caller, which costs more than all else that
 * is done to a text. Their order beside the deltas is kept.
 */
export type Provider = {
  complete(request: ModelRequest, signal: AbortSignal, say?: Say): AsyncIterable<ModelDelta>;
  /** Request options that are left out, because the vendor does not accept them (any more). */
  ignores?: readonly Ignorable[];
  /** Request options with which a turn is refused. */
  refuses?: readonly Refusable[];
  /** The longest wait that its limits allow beyond the usual ones, in ms; left out: none is set. */
  patienceMs?: number;
  /** True: an answer format does not keep the model from calling tools first. */
  formatsWithTools?: boolean;
  /** Ids of the models the vendor offers with this key, at most 200; throws as `complete` does. */
  models(signal: AbortSignal): Promise<string[]>;
};

/** Address and key; always explicit, so that no SDK variable can redirect a tenant. */
export type ProviderOptions = {
  baseUrl: string;
  apiKey: string;
  /** Sent with each request, by lower-case names; one of the same name as that of the key goes before it. */
  headers?: Readonly<Record<string, string>>;
  clock: Clock;
  /** Egress guard for addresses set by tenants; null for an address set by the operator. */
  egress: Egress | null;
  /** Through which every request goes; null or left out: none. Only with an egress guard. */
  proxy?: HttpProxy | null;
  /** Limits of this vendor; left out: the defaults. */
  timeouts?: TimeLimits;
};

export type OpenProvider = (options: ProviderOptions) => Provider;
