import { z } from 'zod';

import type { ModelMessage } from '../../../../providers/request/provider.ts';
import { inOneTrip } from '../../../db/tenant.ts';
import type { App, Caller } from '../../../kernel/app/app.ts';
import { handlesFound, keepHandle } from '../../session/handle.ts';
import { Content } from '../../session/message-content.ts';
import { Messages, type StoredTurn } from '../../session/past-turns.ts';

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
