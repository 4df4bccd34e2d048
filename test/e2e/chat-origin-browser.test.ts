import { once } from 'node:events';
import { createServer } from 'node:http';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';

import { startBrowser } from '../support/console/chromium.ts';
import { say } from '../support/neighbours/model.ts';
import { startChatWorld } from '../support/people/chat-world.ts';
import { started } from '../support/world/prepared.ts';

let browser: Browser;
let page: string;
const elsewhere = createServer((_req, res) => {
  res
    .writeHead(200, { 'content-type': 'text/html' })
    .end('<!doctype html><title>elsewhere</title>');
});
const chatWorld = started(startChatWorld);
beforeAll(async () => {
  chatWorld.answer(() => say('All is well here.'));
  browser = await startBrowser();
  elsewhere.listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  const address = elsewhere.address();
  page = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});
afterAll(async () => {
  await browser?.close();
  elsewhere.close();
});

it('a page of another origin streams once the tenant has named it, and is shown nothing before', async () => {
  const { admin, base } = chatWorld.world;
  const { key } = z
    .object({ key: z.string() })
    .parse(await admin.data('/api/v3/auth/key/add', { keyName: 'a page', scopes: ['svc:chat'] }));
  const opened = await browser.newPage();
  await opened.goto(page);
  const script = `(async () => {
    const response = await fetch(${JSON.stringify(`${base}/api/v3/agentic/v1/chat/completions`)}, {
      method: 'POST',
      headers: {
        authorization: 'Bearer ${key}',
        'content-type': 'application/json',
        'x-stainless-lang': 'js',
      },
      body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] }),
    });
    let text = '';
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) text += part;
    return { text, limit: response.headers.get('x-ratelimit-limit-requests') };
  })().catch((error) => ({ text: String(error), limit: null }))`;
  const run = async () =>
    z
      .object({ text: z.string(), limit: z.string().nullable() })
      .parse(await opened.evaluate(script));
  expect(await run()).toEqual({ text: 'TypeError: Failed to fetch', limit: null });
  await admin.data('/api/v3/agentic/origin/set', { origins: [page] });
  const { text, limit } = await run();
  expect(limit).toBe('8');
  expect(text).toContain('"content":"All');
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
  await opened.close();
});
