import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { z } from 'zod';

type Listed = { name: string; inputSchema: unknown; outputSchema?: unknown };
const Called = z.looseObject({
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
  content: z.unknown(),
});
type Called = z.infer<typeof Called>;

/** What the tests need of a client, whichever library and protocol era stands behind it. */
export type McpClient = {
  list(): Promise<Listed[]>;
  call(name: string, args?: Record<string, unknown>): Promise<Called>;
  serverName(): string | undefined;
  close(): Promise<void>;
};

const identity = { name: 'platform-tests', version: '1.0.0' };
const bearer = (token: string) => ({
  requestInit: { headers: { authorization: `Bearer ${token}` } },
});

/** The official client of today, held to one protocol era. */
const current =
  (mode: 'legacy' | { pin: string }) =>
  async (base: string, token: string): Promise<McpClient> => {
    const client = new Client(identity, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), bearer(token)));
    return {
      list: async () => (await client.listTools()).tools,
      call: async (name, args = {}) =>
        Called.parse(await client.callTool({ name, arguments: args })),
      serverName: () => client.getServerVersion()?.name,
      close: () => client.close(),
    };
  };

/** The official client of the 2025 era, which shares no code with the server. */
async function old(base: string, token: string): Promise<McpClient> {
  const client = new OldClient(identity);
  const transport = new OldTransport(new URL(`${base}/mcp`), bearer(token));
  await client.connect(transport);
  return {
    list: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => Called.parse(await client.callTool({ name, arguments: args })),
    serverName: () => client.getServerVersion()?.name,
    close: () => client.close(),
  };
}

export const clients: Record<string, (base: string, token: string) => Promise<McpClient>> = {
  'client 2 pinned to 2026-07-28': current({ pin: '2026-07-28' }),
  'client 2 in the 2025 era': current('legacy'),
  'client 1': old,
};
