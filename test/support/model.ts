import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

import { z } from 'zod';

const Sent = z.looseObject({
  model: z.string(),
  stream: z.boolean(),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.string().nullish(),
      tool_calls: z
        .array(z.looseObject({ id: z.string(), function: z.object({ name: z.string() }) }))
        .optional(),
      tool_call_id: z.string().optional(),
    }),
  ),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
  temperature: z.number().optional(),
  max_tokens: z.number().optional(),
});
export type Sent = z.infer<typeof Sent>;

/** Answers one request of the dialect on the raw response. */
export type Reply = (res: ServerResponse) => void | Promise<void>;

export type FakeModel = {
  baseUrl: string;
  requests: Sent[];
  /** Authorization headers in the order of the requests. */
  keys: (string | undefined)[];
  /** How many connections of answers the client closed before they ended. */
  left(): number;
  stop(): Promise<void>;
};

/** A neighbour on loopback that speaks OpenAI's chat completions and says what the test tells it. */
export async function startModel(reply: (sent: Sent, round: number) => Reply): Promise<FakeModel> {
  const requests: Sent[] = [];
  const keys: (string | undefined)[] = [];
  let left = 0;
  const server = createServer((req, res) => {
    void (async () => {
      const sent = Sent.parse(await json(req));
      requests.push(sent);
      keys.push(req.headers.authorization);
      res.on('close', () => {
        if (!res.writableEnded) left += 1;
      });
      await reply(sent, requests.length)(res);
    })().catch((error: unknown) => {
      res.statusCode = 418;
      res.end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    keys,
    left: () => left,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

const chunk = (delta: object, finish: string | null = null) =>
  frame({ id: 'c1', choices: [{ index: 0, delta, finish_reason: finish }] });

const usage = frame({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } });
const DONE = 'data: [DONE]\n\n';

export const stream =
  (...parts: (string | Buffer)[]): Reply =>
  async (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const part of parts) {
      res.write(part);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    res.end();
  };

/** Says `text`, one word per chunk. */
export const say = (text: string): Reply =>
  stream(
    chunk({ role: 'assistant', content: '' }),
    ...(text.match(/\s*\S+/g) ?? []).map((word) => chunk({ content: word })),
    chunk({}, 'stop'),
    usage,
    DONE,
  );

/** Asks for tools, the arguments of each in two fragments. */
export const call = (...calls: [name: string, args: string | object][]): Reply =>
  stream(
    ...calls.flatMap(([name, args], index) => {
      const text = typeof args === 'string' ? args : JSON.stringify(args);
      const half = Math.floor(text.length / 2);
      return [
        chunk({
          tool_calls: [
            {
              index,
              id: `call_${index}`,
              type: 'function',
              function: { name, arguments: text.slice(0, half) },
            },
          ],
        }),
        chunk({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] }),
      ];
    }),
    chunk({}, 'tool_calls'),
    usage,
    DONE,
  );

export const refuse =
  (
    status: number,
    headers: Record<string, string> = {},
    body = '{"error":{"message":"no"}}',
  ): Reply =>
  (res) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(body);
  };
