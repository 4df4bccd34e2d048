import { createHash } from 'node:crypto';

import {
  createRequestStateCodec,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

import type { App } from '../../kernel/app/app.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { McpCaller } from './caller.ts';

const TTL_S = 600;

/** The state between two rounds travels through the client: signed, readable, and good for one request only. */
const Carried = z.object({ request: z.string(), state: z.unknown().optional() });
export type StateCodec = RequestStateCodec<z.output<typeof Carried>>;

/** Signs for ten minutes, for the principal and the client that `callerOf` finds behind a request. */
export const stateCodec = (app: App, callerOf: (ctx: ServerContext) => McpCaller): StateCodec =>
  createRequestStateCodec({
    key: app.keys.requestState,
    ttlSeconds: TTL_S,
    bind(ctx) {
      const { tenantId, principalId, clientId = '' } = callerOf(ctx);
      return [tenantId, principalId, clientId, ctx.mcpReq.method].join(' ');
    },
  });

/** What the client has to send again unchanged. */
export function requestDigest(name: string, input: unknown): string {
  try {
    return createHash('sha256').update(canonicalJson({ name, input })).digest('base64url');
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The arguments are nested too deep');
  }
}

/** The state of the round before; undefined in the first one. -32602 for one of another request. */
export function stateOf(ctx: ServerContext, name: string, input: unknown): unknown {
  const carried = ctx.mcpReq.requestState();
  if (carried === undefined) return undefined;
  const { data } = Carried.safeParse(carried);
  if (data?.request === requestDigest(name, input)) return data.state;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The requestState is of another call');
}
