/** What goes between a program and what it calls beyond one record, in the shapes of MCP; types only. */

export type Content =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; text: string } };

/** The program that waits for an answer; what it did not ask to hear is dropped. */
export type Waiting = {
  /** Says how far a call is, in units of its own; each number is larger than the one before. */
  progress(done: number, total?: number, message?: string): void;
  log(level: 'info' | 'warning', message: string): void;
  /** Aborted when the program went away or cancelled the call. */
  signal: AbortSignal;
};

/** A call over MCP that may be answered in rounds, or later as a task. */
export type Exchange = Waiting & {
  /** Whether the program declared a capability, `elicitation.url` or the like. */
  has(capability: string): boolean;
  /** Whether it takes a task for an answer. */
  takesTasks: boolean;
  /** Answers to the questions of the round before, by their names; written by the program, so any value. */
  answers: Record<string, unknown>;
  /** State of the round before, as it was given with the questions to the same principal. */
  state: unknown;
};

/** A request to the program's side, e.g. `elicitation/create`. No answer to it is proof of a human. */
export type Question = { method: string; params: Record<string, unknown> };

export type Reply =
  /**
   * `beside`: what the record cannot hold, such as an image; `untrusted`: its fields that others write; `view`: what only
   * the view of the tool shows, for a person, never for the model.
   */
  | {
      kind: 'record';
      structured: Record<string, unknown>;
      beside?: Content[];
      untrusted?: readonly string[];
      view?: Record<string, unknown>;
    }
  | { kind: 'content'; content: Content[]; structured?: Record<string, unknown>; isError?: boolean }
  /** `isOptional`: the state alone leads on, so a client that cannot answer, or does not, gets the next round all the same. */
  | {
      kind: 'questions';
      questions: Record<string, Question>;
      state?: unknown;
      isOptional?: boolean;
    }
  | { kind: 'task'; task: Task };

/** Work that goes on after the answer, `io.modelcontextprotocol/tasks`. */
export type Task = {
  taskId: string;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  statusMessage: string;
  /** ISO-8601. */
  createdAt: string;
  lastUpdatedAt: string;
  /** From its creation; null without end. */
  ttlMs: number | null;
  pollIntervalMs: number;
  /** What the call answers in the end; for `completed`. */
  result?: Extract<Reply, { kind: 'record' | 'content' }>;
  /** For `failed`. */
  error?: { code: number; message: string };
  /** For `input_required`. */
  questions?: Record<string, Question>;
};
