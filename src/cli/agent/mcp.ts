import { readFileSync } from 'node:fs';

import { bridge } from './bridge.ts';

export type McpOptions = { stdio?: boolean; url?: string; keyFile?: string };

/** `svc mcp --stdio`: the endpoint for programs that start their servers and talk to them in lines. */
export async function mcpCommand(baseUrl: string, options: McpOptions): Promise<void> {
  if (!options.stdio) throw new Error('Say --stdio: over HTTP the endpoint needs no bridge');
  const { stdin: input, stdout: output } = process;
  const url = options.url ?? `${baseUrl}/mcp`;
  await bridge({ url, secret: secretOf(options), input, output });
}

/** From the environment or a file: arguments of a process can be seen by others on the machine. */
function secretOf({ keyFile }: McpOptions): string {
  const secret = keyFile === undefined ? process.env['SVC_MCP_KEY'] : readFileSync(keyFile, 'utf8');
  if (secret?.trim()) return secret.trim();
  throw new Error(
    'Give a key for mcp in SVC_MCP_KEY or in a file (--key-file): svc key --audience mcp',
  );
}
