/** What a program of its own would be: express, the vendor's SDK, and its chunks streamed again. */
import { createServer } from 'node:http';

import express from 'express';
import OpenAI from 'openai';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';

import { listenAndReport } from '../report.ts';

const [vendor = ''] = process.argv.slice(2);
const openai = new OpenAI({ baseURL: `${vendor}/v1`, apiKey: 'bench', maxRetries: 0 });

const relay = express()
  .use(express.json({ limit: '1mb' }))
  .post('/v1/chat/completions', async (req, res) => {
    const params: ChatCompletionCreateParamsStreaming = { ...req.body, stream: true };
    const chunks = await openai.chat.completions.create(params);
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for await (const chunk of chunks) res.write(`data: ${JSON.stringify(chunk)}\n\n`);
    res.end('data: [DONE]\n\n');
  });
const server = createServer(relay);
server.keepAliveTimeout = 120_000;
listenAndReport(server);
