/** Which tools an answer may or must call; a name demands that tool. */
export type ToolChoice = 'none' | 'auto' | 'required' | { name: string };

/** The form of an answer: any JSON object, or JSON that fits a schema. */
export type AnswerFormat =
  | { type: 'json_object' }
  | {
      type: 'json_schema';
      name: string;
      schema: Record<string, unknown>;
      description?: string;
      strict?: boolean;
    };

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

export const VERBOSITIES = ['low', 'medium', 'high'] as const;

/** What a request asks of the model beside its messages and tools; what is left out is the vendor's default. */
export type ModelOptions = {
  topP?: number;
  seed?: number;
  stop?: readonly string[];
  presencePenalty?: number;
  frequencyPenalty?: number;
  logitBias?: Readonly<Record<string, number>>;
  verbosity?: (typeof VERBOSITIES)[number];
  effort?: Effort;
  /** How many alternatives to each token (0 to 20) come with its log probability; left out: no log probabilities. */
  logprobs?: number;
  toolChoice?: ToolChoice;
  /** False: at most one call in an answer. */
  parallelCalls?: boolean;
  format?: AnswerFormat;
};

/** Options without which an answer is made otherwise, but is still an answer to the request; OpenAI's names. */
export type Ignorable =
  | 'temperature'
  | 'top_p'
  | 'seed'
  | 'presence_penalty'
  | 'frequency_penalty'
  | 'logit_bias'
  | 'verbosity';

/** Options of a request that may not reach its model; OpenAI's names. */
export type OptionName =
  | Ignorable
  | 'stop'
  | 'logprobs'
  | 'reasoning_effort'
  | 'parallel_tool_calls';

/** Options without which the answer has not the form that the request wants; OpenAI's names. */
export type Refusable = 'logprobs' | 'json_object' | 'json_schema';
