import { type McpCall, recordMcpCall } from '../../auth/connection/audit.ts';
import type { Offer } from '../../auth/connection/denial.ts';
import type { App } from '../../kernel/app/app.ts';
import type { McpCaller } from './caller.ts';

const MAX_NAME = 128;

type Used = {
  /** The name as requested. */
  name: string;
  /** Undefined for an unknown tool or resource. */
  offer: Offer | undefined;
  input: unknown;
};

/** Starts the record of one use; call the returned function once with the outcome. */
export function traced(
  app: App,
  caller: McpCaller,
  { name, offer, input }: Used,
): (status: McpCall['status'], errorCode?: string) => void {
  const startedAt = app.clock.now();
  const { connection, client, tenantId, principalId, clientId, traceId } = caller;
  return (status, errorCode = '') => {
    const durationMs = app.clock.now() - startedAt;
    recordMcpCall(app, caller, {
      toolName: name,
      tool: offer,
      input,
      connectionId: connection.connectionId,
      client,
      status,
      errorCode,
      durationMs,
      traceId,
    });
    app.log.info(
      {
        tool: name.slice(0, MAX_NAME),
        status,
        errorCode,
        tenantId,
        principalId,
        clientId,
        ...(traceId !== '' && { traceId }),
        durationMs,
      },
      'MCP tool call or resource read',
    );
  };
}
