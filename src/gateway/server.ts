import express, { type Express } from 'express';

import { chatCompletions } from '../agentic/completions.ts';
import type { App } from '../app.ts';
import { oauthRouter } from '../auth/oauth/mount.ts';
import { AppError, NotFound } from '../core/errors.ts';
import { mcpRouter } from '../mcp/endpoint.ts';
import { centers } from './centers.ts';
import { health } from './health.ts';
import { authenticate } from './middleware/authenticate.ts';
import { authorize, callerOf } from './middleware/authorize.ts';
import { onError } from './middleware/on-error.ts';
import { requestId } from './middleware/request-id.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { mount } from './mount.ts';
import { swagger } from './swagger.ts';

const CHAT_PATH = '/api/v3/agentic/chat/completions';

/** The whole request path on one page: what a request meets, in order. */
export function createGateway(app: App): Express {
  const server = express()
    .disable('x-powered-by')
    .disable('etag')
    .use(requestId, securityHeaders)
    .use(health(app))
    .use(mcpRouter(app)) // before any body parser: it reads its own body
    .use(oauthRouter(app))
    .use(CHAT_PATH, express.json({ limit: '1mb' }))
    .use(express.json({ limit: '256kb' }), jsonOnly)
    .post(
      CHAT_PATH,
      authenticate(app),
      authorize(app, 'agentic', 'chat:list'),
      async (req, res) => {
        const left = new AbortController();
        res.on('close', () => left.abort());
        await chatCompletions(app, callerOf(res), chatInput(req), res, left.signal);
      },
    );
  if (app.config.swagger) server.use(swagger(app));
  for (const [center, routes] of Object.entries(centers)) {
    server.use(`/api/v3/${center}`, mount(app, center, routes));
  }
  return server
    .use(() => {
      throw new NotFound('This path');
    })
    .use(onError(app));
}

/** A body of another type would reach the routes as no body at all. */
const jsonOnly: express.RequestHandler = (req, _res, next) => {
  const hasBody =
    req.headers['transfer-encoding'] !== undefined ||
    Number(req.headers['content-length'] ?? 0) > 0;
  if (hasBody && req.body === undefined) {
    throw new AppError(415, 'R415', 'The body must be application/json');
  }
  next();
};

/** Chat clients that cannot add a body field name the conversation in a header. */
function chatInput(req: express.Request): unknown {
  const conversationId = req.get('x-conversation-id') ?? req.get('x-openwebui-chat-id');
  if (conversationId === undefined || typeof req.body !== 'object') return req.body;
  return { conversationId, ...req.body };
}
