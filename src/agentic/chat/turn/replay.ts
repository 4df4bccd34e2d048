import { z } from 'zod';

import type { ModelMessage, ToolCall } from '../../../../providers/request/provider.ts';
import { inOneTrip } from '../../../db/tenant.ts';
import type { App, Caller } from '../../../kernel/app/app.ts';
import { handlesFound, keepHandle } from '../../session/handle.ts';
import { Content } from '../../session/message-content.ts';
import { Messages, type StoredTurn } from '../branch/past-turns.ts';
import { handleIn } from '../loop/event.ts';
import { userMessages } from '../request/files.ts';
import type { RequestMessage } from '../request/message.ts';

const NO_RESULT = JSON.stringify({ error: 'no result came from the client' });

/** What a client resends, as messages for a model. */
export type Replayed = {
  messages: ModelMessage[];
  /** Results of the client's tools, with their names. */
  results: { tool: string; text: string }[];
  /** Texts that the client says the platform answered. */
  answers: string[];
};

/** Ids of the parked turns that messages name, the latest last. */
export const handlesIn = (messages: readonly RequestMessage[]): string[] =>
  messages.flatMap(({ calls }) => calls.flatMap(({ id }) => handleIn(id) ?? []));

/**
 * Messages of a client for a model. Steps of the platform come from what it parked, never from the client: calls with
 * the name of a tool of the platform are left out with their results. Each call of a client's tool gets its result, so that
 * vendors accept the whole.
 */
export function replay(
  messages: readonly RequestMessage[],
  parked: ReadonlyMap<string, Parked>,
  { isReserved, hasTools }: { isReserved(name: string): boolean; hasTools: boolean },
): Replayed {
  const replayed: Replayed = { messages: [], results: [], answers: [] };
  for (const [at, { role, text, media, files, calls }] of messages.entries()) {
    if (role === 'user' && (text !== '' || media.length > 0 || files.length > 0))
      replayed.messages.push(...userMessages({ text, media, files }, { hasTools, at: at + 1 }));
    if (role !== 'assistant') continue;
    const own = calls.filter(({ name }) => !isReserved(name));
    if (own.length === 0) {
      if (text === '') continue;
      replayed.answers.push(text);
      replayed.messages.push({ role, content: text });
      continue;
    }
    const given = resultsAfter(messages, at, own);
    const known = own.map(({ id }) => parked.get(handleIn(id) ?? '')).find((one) => one);
    if (!known && text !== '') replayed.answers.push(text);
    const steps = known?.messages ?? [{ role, content: text, toolCalls: own }];
    replayed.messages.push(
      ...withResults(steps, (call) => {
        const result = given.get(call.id);
        if (result === undefined) return undefined;
        replayed.results.push({ tool: call.name, text: result });
        return asJson(result);
      }),
    );
  }
  return replayed;
}

/** Results up to the next message of another role, by the id of their call; one without an id is found by its tool. */
function resultsAfter(
  messages: readonly RequestMessage[],
  at: number,
  calls: readonly ToolCall[],
): Map<string, string> {
  const results = new Map<string, string>();
  for (let next = at + 1; next < messages.length; next += 1) {
    const { role, callId, name, text } = messages[next] ?? { role: 'user' };
    if (role !== 'tool' && role !== 'function') break;
    const of = (call: ToolCall): boolean => !results.has(call.id) && call.name === name;
    results.set(callId || (calls.find(of)?.id ?? ''), text ?? '');
  }
  return results;
}

/** Steps with the results of the last calls in the order of the calls. */
function withResults(
  steps: readonly ModelMessage[],
  resultOf: (call: ToolCall) => string | undefined,
): ModelMessage[] {
  const last = steps.findLastIndex(({ role }) => role === 'assistant');
  const message = steps[last];
  if (message?.role !== 'assistant') return [...steps];
  const own = new Map(
    steps
      .slice(last + 1)
      .flatMap((step) => (step.role === 'tool' ? [[step.toolCallId, step.content] as const] : [])),
  );
  return [
    ...steps.slice(0, last + 1),
    ...(message.toolCalls ?? []).map((call): ModelMessage => ({
      role: 'tool',
      toolCallId: call.id,
      content: own.get(call.id) ?? resultOf(call) ?? NO_RESULT,
    })),
  ];
}

/** A result as JSON, as all results are: a text becomes a JSON string. */
function asJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

/** How long a client may take for its tools; after that its own account of the turn counts. */
const PARKED_MS = 3_600_000;

const State = z.object({
  before: Messages,
  messages: Messages,
  told: Content,
  place: z
    .object({ conversationId: z.string(), sessionId: z.string(), turnIndex: z.string() })
    .nullable(),
});

/** A turn that waits for the results of the client's tools. */
export type Parked = {
  conversationId: string;
  /** Steps from its question to what the client spoke last. */
  before: readonly ModelMessage[];
  /** Steps since the client spoke last; the last message of the model calls the client's tools. */
  messages: readonly ModelMessage[];
  /** What the turn has answered so far. */
  told: Content;
  /** Where its question is stored; null: nowhere. */
  place: StoredTurn | null;
};

const handleOf = (id: string): string => `call:${id}`;

export const park = (app: App, caller: Caller, id: string, parked: Parked): Promise<void> =>
  inOneTrip(app.db, caller.tenantId, (q) => {
    const { conversationId, ...state } = parked;
    return keepHandle(app, q, caller, {
      handle: handleOf(id),
      conversationId,
      state,
      keptMs: PARKED_MS,
    });
  });

/** The parked turns of these ids, of the caller alone; what has expired is not there. */
export async function parkedTurns(
  app: App,
  caller: Caller,
  ids: readonly string[],
): Promise<Map<string, Parked>> {
  if (ids.length === 0) return new Map();
  const rows = await inOneTrip(app.db, caller.tenantId, (q) =>
    handlesFound(app, q, caller, ids.map(handleOf)),
  );
  return new Map(
    rows.flatMap(({ handle, conversationId, state }) => {
      const { data } = State.safeParse(state);
      return data
        ? [[handle.slice(handleOf('').length), { conversationId, ...data }] as const]
        : [];
    }),
  );
}
