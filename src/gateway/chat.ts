import express, { type Request, type RequestHandler, Router } from 'express';

import { chatCompletions } from '../agentic/chat/completions.ts';
import type { App } from '../app.ts';
import { authorize, callerOf } from './middleware/authorize.ts';

/** Below the agentic center's prefix, beside its table: answers come in OpenAI's own shape. */
export const CHAT_PATH = '/chat/completions';
export const CHAT_BODY = '1mb';

/** The chat endpoint, ahead of the general body parser: histories are longer than other bodies. */
export function chat(app: App, identify: RequestHandler[]): Router {
  return Router()
    .use(CHAT_PATH, express.json({ limit: CHAT_BODY }))
    .post(CHAT_PATH, ...identify, authorize(app, 'agentic', 'chat:list'), async (req, res) => {
      const left = new AbortController();
      res.on('close', () => left.abort());
      await chatCompletions(app, callerOf(res), inputOf(req), res, left.signal);
    });
}

/** Chat clients that cannot add a body field name the conversation in a header. */
function inputOf(req: Request): unknown {
  const conversationId = req.get('x-conversation-id') ?? req.get('x-openwebui-chat-id');
  if (conversationId === undefined || typeof req.body !== 'object') return req.body;
  return { conversationId, ...req.body };
}
