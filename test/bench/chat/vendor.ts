/**
 * A model vendor in a process of its own, in OpenAI's dialect. The last user message says how it answers: with how many
 * chunks, and how many milliseconds apart.
 */
import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

import { z } from 'zod';

import { listenAndReport } from '../report.ts';

const Sent = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) });

const frame = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-0123456789abcdef01234567',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'bench',
    system_fingerprint: 'fp_0123456789',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  })}\n\n`;

const BEGIN = frame({ role: 'assistant', content: '' });
const TEXT = frame({ content: ' token' });
const END = `${frame({}, 'stop')}data: [DONE]\n\n`;

const server = createServer((req, res) => {
  void json(req)
    .then((body) => answer(Sent.parse(body), res))
    .catch((error: unknown) => res.writeHead(400).end(String(error)));
});

function answer({ messages }: z.output<typeof Sent>, res: ServerResponse): void {
  const asked = /(\d+) chunks, (\d+) ms apart/.exec(messages.at(-1)?.content ?? '');
  const [chunks, gap] = [Number(asked?.[1] ?? 1), Number(asked?.[2] ?? 0)];
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.write(BEGIN + TEXT);
  let left = chunks - 1;
  if (left <= 0) {
    res.end(END);
    return;
  }
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) {
      res.write(TEXT);
      return;
    }
    clearInterval(timer);
    res.end(TEXT + END);
  }, gap);
  res.on('close', () => clearInterval(timer));
}

server.keepAliveTimeout = 120_000;
listenAndReport(server);
