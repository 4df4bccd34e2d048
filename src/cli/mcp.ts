import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

import { z } from 'zod';

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

const Message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
});
type Message = z.output<typeof Message>;

const META_VERSION = 'io.modelcontextprotocol/protocolVersion';
const RECONNECT_MS = 1_000;

type Ends = { url: string; secret: string; input: Readable; output: Writable };

/**
 * Passes MCP messages between lines of standard input and output and the endpoint at `url`, with the secret, in both
 * eras; what the endpoint streams comes out as it arrives. Resolves when the input ends and all is answered.
 */
export async function bridge({ url, secret, input, output }: Ends): Promise<void> {
  const session: { id?: string; revision?: string } = {};
  const underWay = new Map<string | number, AbortController>();
  const pending = new Set<Promise<void>>();
  const closing = new AbortController();
  const write = (line: string) => void output.write(`${line}\n`);

  const headersOf = (message?: Message): Record<string, string> => {
    const { method, params } = message ?? {};
    const meta = z.looseObject({ [META_VERSION]: z.string() }).safeParse(params?.['_meta']).data;
    const modern = meta?.[META_VERSION];
    const revision = typeof modern === 'string' ? modern : session.revision;
    const name = params?.['name'] ?? params?.['uri'] ?? params?.['taskId'];
    return {
      authorization: `Bearer ${secret}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(revision !== undefined && { 'mcp-protocol-version': revision }),
      ...(modern !== undefined && method !== undefined && { 'mcp-method': method }),
      ...(modern !== undefined && typeof name === 'string' && { 'mcp-name': encoded(name) }),
      ...(modern === undefined && session.id !== undefined && { 'mcp-session-id': session.id }),
    };
  };

  async function send(line: string): Promise<void> {
    const message = parsed(line);
    const { id, method } = message ?? {};
    if (method === 'notifications/cancelled') cancel(message?.params?.['requestId']);
    const abort = new AbortController();
    if (id !== undefined && method !== undefined) underWay.set(id, abort);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: headersOf(message),
        body: line,
        signal: abort.signal,
      });
      if (method === 'initialize') begin(response.headers.get('mcp-session-id'));
      await relay(response, (text) => {
        const revision = method === 'initialize' ? revisionIn(text) : undefined;
        if (revision !== undefined) session.revision = revision;
        write(text);
      });
      if (method === 'notifications/initialized') void listen();
    } catch (error) {
      if (!abort.signal.aborted && id !== undefined) write(failure(id, reasonOf(error)));
    } finally {
      if (id !== undefined) underWay.delete(id);
    }
  }

  function cancel(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') underWay.get(id)?.abort();
  }

  function begin(id: string | null): void {
    if (id !== null) session.id = id;
  }

  /** What the server says by itself, in a session of the revisions before 2026-07-28. */
  async function listen(): Promise<void> {
    while (session.id !== undefined && !closing.signal.aborted) {
      try {
        const { signal } = closing;
        const response = await fetch(url, { headers: headersOf(), signal });
        if (!response.ok) return;
        await relay(response, write);
      } catch {
        await new Promise((resolve) => void setTimeout(resolve, RECONNECT_MS).unref());
      }
    }
  }

  for await (const line of createInterface({ input })) {
    if (line.trim() === '') continue;
    const sending = send(line).finally(() => pending.delete(sending));
    pending.add(sending);
    // What follows needs the session that this one opens.
    if (parsed(line)?.method === 'initialize') await sending;
  }
  await Promise.all(pending);
  closing.abort();
  if (session.id !== undefined)
    await fetch(url, { method: 'DELETE', headers: headersOf() }).catch(() => {});
}

/** The messages of an answer, each as one line, as they arrive. Throws for an answer that is none of MCP. */
async function relay(response: Response, write: (line: string) => void): Promise<void> {
  if (response.status === 202 || !response.body) return;
  const type = response.headers.get('content-type') ?? '';
  if (!type.includes('text/event-stream')) {
    const text = (await response.text()).trim();
    const message = parsed(text);
    if (!message || !('jsonrpc' in message))
      throw new Error(`HTTP ${response.status}: ${text.slice(0, 500)}`);
    write(JSON.stringify(message));
    return;
  }
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + chunk).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
      if (data.length > 0) write(data.map((line) => line.slice(5).trim()).join(''));
    }
  }
}

function parsed(line: string): Message | undefined {
  try {
    return Message.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

const revisionIn = (line: string): string | undefined =>
  z.object({ result: z.object({ protocolVersion: z.string() }) }).safeParse(parsed(line)).data
    ?.result.protocolVersion;

/** A header holds ASCII only (SEP-2243). */
const encoded = (name: string): string =>
  /^[\x20-\x7E]*$/.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;

const failure = (id: string | number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } });

const reasonOf = (error: unknown): string =>
  error instanceof Error
    ? [error.message, error.cause instanceof Error ? error.cause.message : '']
        .filter(Boolean)
        .join(': ')
    : 'The endpoint could not be reached';
