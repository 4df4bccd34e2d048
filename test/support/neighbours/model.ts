import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

import { z } from 'zod';

/** As those of the vendor: `max_tokens` and temperatures other than their own are 400 there. */
const REASONING_MODEL = /^(o\d|gpt-5)/;

const Parts = z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).min(1);

/** A content of parts as its text, and the parts beside it. */
function withParts(given: unknown): unknown {
  const parts = z.looseObject({ content: Parts }).safeParse(given).data;
  if (!parts) return given;
  return {
    ...parts,
    content: parts.content.map(({ text }) => text ?? '').join(''),
    parts: parts.content,
  };
}

const Options = z.looseObject({
  model: z.string(),
  stream: z.boolean(),
  messages: z.array(
    z.preprocess(
      withParts,
      z.looseObject({
        role: z.string(),
        content: z.string().nullish(),
        parts: Parts.optional(),
        tool_calls: z
          .array(z.looseObject({ id: z.string(), function: z.object({ name: z.string() }) }))
          .optional(),
        tool_call_id: z.string().optional(),
      }),
    ),
  ),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
  temperature: z.number().optional(),
  max_tokens: z.number().optional(),
  max_completion_tokens: z.number().optional(),
  reasoning_effort: z.enum(['low', 'medium', 'high']).optional(),
});
const Sent = Options.refine(
  ({ model, temperature, max_tokens }) =>
    !REASONING_MODEL.test(model) || (temperature === undefined && max_tokens === undefined),
  'Unsupported parameter',
);
export type Sent = z.infer<typeof Sent>;

/** Answers one request of the dialect on the raw response. */
export type Reply = (res: ServerResponse) => void | Promise<void>;

export type FakeModel<T = Sent> = {
  baseUrl: string;
  requests: T[];
  /** The headers that carry the key, in the order of the requests. */
  keys: (string | undefined)[];
  /** All headers, likewise. */
  headers: IncomingHttpHeaders[];
  /** How many connections of answers the client closed before they ended. */
  left(): number;
  stop(): Promise<void>;
};

/** What a dialect asks of a request; throws for one the vendor would refuse with 400. */
export type Fake<T> = {
  read(body: unknown, headers: IncomingHttpHeaders, path: string): T;
  keyOf(headers: IncomingHttpHeaders): string | undefined;
  /** The answer to a listing of models. */
  models: object;
  refusal(message: string): object;
};

/** A neighbour on loopback that speaks a vendor's dialect and says what the test tells it. */
export async function startFake<T>(
  { read, keyOf, models, refusal }: Fake<T>,
  reply: (sent: T, round: number) => Reply,
): Promise<FakeModel<T>> {
  const requests: T[] = [];
  const keys: (string | undefined)[] = [];
  const headers: IncomingHttpHeaders[] = [];
  let left = 0;
  const server = createServer((req, res) => {
    void (async () => {
      keys.push(keyOf(req.headers));
      headers.push(req.headers);
      if (req.method === 'GET') {
        res.setHeader('content-type', 'application/json').end(JSON.stringify(models));
        return;
      }
      const sent = read(await json(req), req.headers, req.url ?? '');
      requests.push(sent);
      res.on('close', () => {
        if (!res.writableEnded) left += 1;
      });
      await reply(sent, requests.length)(res);
    })().catch((error: unknown) => {
      res.writeHead(400, { 'content-type': 'application/json' });
      res.end(JSON.stringify(refusal(String(error))));
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
    headers,
    left: () => left,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** OpenAI's chat completions. */
export const startModel = (reply: (sent: Sent, round: number) => Reply): Promise<FakeModel> =>
  startFake(
    {
      read: (body) => Sent.parse(body),
      keyOf: (headers) => headers.authorization,
      models: { object: 'list', data: [{ id: 'gpt-a', object: 'model' }, { id: 'gpt-b' }] },
      refusal: (message) => ({ error: { message, type: 'invalid_request_error' } }),
    },
    reply,
  );

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
export const call = (...calls: (readonly [name: string, args: string | object])[]): Reply =>
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
