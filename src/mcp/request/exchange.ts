import type { ServerContext } from '@modelcontextprotocol/server';

import type { Exchange } from '../../kernel/app/exchange.ts';
import type { ClientOf } from './client.ts';

/** The client behind a request, as tools see it. */
export function exchangeWith(ctx: ServerContext, client: ClientOf, state: unknown): Exchange {
  const { mcpReq } = ctx;
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  return {
    has: client.has,
    takesTasks: client.takesTasks,
    answers: mcpReq.inputResponses ?? {},
    state,
    signal: mcpReq.signal,
    progress(progress, total, message) {
      if (progressToken === undefined) return;
      const params = { progressToken, progress, ...kept({ total, message }) };
      unheard(mcpReq.notify({ method: 'notifications/progress', params }));
    },
    log: (level, message) => unheard(mcpReq.log(level, message, 'platform')),
  };
}

const kept = (given: Record<string, string | number | undefined>) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

/** A client that went away misses what it is told; the call goes on. */
const unheard = (sending: Promise<void>): void => void sending.catch(() => {});
