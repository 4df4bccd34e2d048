import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

import type { McpClient } from '../../auth/connection/audit.ts';
import type { Narrowing } from '../../auth/connection/denial.ts';
import type { Whitelist } from '../../auth/connection/whitelist.ts';
import type { Caller } from '../../kernel/app/app.ts';
import type { Exchange } from '../../kernel/app/exchange.ts';

/** A caller over MCP, with its client and the tools its connections limit it to. */
export type McpCaller = Caller & {
  connection: Whitelist;
  client: McpClient;
  narrowing?: Narrowing;
  /** Whether its list of tools has the whole schemas of results. */
  fullSchemas?: boolean;
  /** Of the trace that the request is a part of; empty without one. */
  traceId: string;
  /** When its token or key ends, in ms since the epoch. */
  expiresAt: number;
};

/** A request over MCP. What `present` runs is let out only if it was done on the present facts about the caller. */
export type McpCall = {
  caller: McpCaller;
  present<T>(work: (caller: McpCaller) => Promise<T>): Promise<T>;
  /** Identifies the caller anew; throws NotAuthenticated. */
  again(): Promise<McpCaller>;
};

/** With the client that waits for its answer. */
export type AskedCall = McpCall & { exchange: Exchange };

/** Throws with the reason why the connection has ended: an empty list would look like missing permissions. */
export function refuseEnded({ connection }: McpCaller): void {
  if (connection.ended) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, connection.ended);
}
