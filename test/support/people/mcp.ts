import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { z } from 'zod';

type Listed = { name: string; inputSchema: unknown; outputSchema?: unknown; annotations?: unknown };
const Called = z.looseObject({
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
  content: z.unknown(),
});
type Called = z.infer<typeof Called>;

type Named = { name: string; title?: string | undefined; mimeType?: string | undefined };
type ListedResource = Named & { uri: string };
type ListedTemplate = Named & { uriTemplate: string };
const Contents = z.object({
  contents: z.array(z.object({ uri: z.string(), mimeType: z.string(), text: z.string() })),
});
/** Answers of resources are JSON of one content. */
function told(result: unknown): Record<string, unknown> {
  const [content, ...more] = Contents.parse(result).contents;
  if (!content || more.length > 0) throw new Error('one content was expected');
  return z.record(z.string(), z.unknown()).parse(JSON.parse(content.text));
}

/** What the tests need of a client, whichever library and protocol era stands behind it. */
export type McpClient = {
  list(): Promise<Listed[]>;
  call(name: string, args?: Record<string, unknown>): Promise<Called>;
  resources(
    cursor?: string,
  ): Promise<{ resources: ListedResource[]; nextCursor?: string | undefined }>;
  templates(): Promise<ListedTemplate[]>;
  /** What the JSON of the resource says. */
  read(uri: string): Promise<Record<string, unknown>>;
  /** What the server says that it can do. */
  capabilities(): object | undefined;
  serverName(): string | undefined;
  close(): Promise<void>;
};

const identity = { name: 'platform-tests', version: '1.0.0' };
const bearer = (token: string) => ({
  requestInit: { headers: { authorization: `Bearer ${token}` } },
});

/** The client keeps a list for as long as the server says; the tests look what the server says now. */
const NOW = { cacheMode: 'refresh' } as const;

/** The official client of today, held to one protocol era. */
const current =
  (mode: 'legacy' | { pin: string }) =>
  async (base: string, token: string, path = '/mcp'): Promise<McpClient> => {
    const client = new Client(identity, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(base + path), bearer(token)));
    return {
      list: async () => (await client.listTools({}, NOW)).tools,
      call: async (name, args = {}) =>
        Called.parse(await client.callTool({ name, arguments: args })),
      resources: (cursor) => client.listResources(cursor === undefined ? {} : { cursor }, NOW),
      templates: async () => (await client.listResourceTemplates({}, NOW)).resourceTemplates,
      read: async (uri) => told(await client.readResource({ uri }, NOW)),
      capabilities: () => client.getServerCapabilities(),
      serverName: () => client.getServerVersion()?.name,
      close: () => client.close(),
    };
  };

/** The official client of the 2025 era, which shares no code with the server. */
async function old(base: string, token: string, path = '/mcp'): Promise<McpClient> {
  const client = new OldClient(identity);
  const transport = new OldTransport(new URL(base + path), bearer(token));
  await client.connect(transport);
  return {
    list: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => Called.parse(await client.callTool({ name, arguments: args })),
    resources: (cursor) => client.listResources(cursor === undefined ? {} : { cursor }),
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: async (uri) => told(await client.readResource({ uri })),
    capabilities: () => client.getServerCapabilities(),
    serverName: () => client.getServerVersion()?.name,
    close: () => client.close(),
  };
}

type Connect = (base: string, token: string, path?: string) => Promise<McpClient>;
export const clients: Record<string, Connect> = {
  'client 2 pinned to 2026-07-28': current({ pin: '2026-07-28' }),
  'client 2 in the 2025 era': current('legacy'),
  'client 1': old,
};
