import { type Request, type Response, Router } from 'express';

import { restReader } from '../../auth/agent/rest-reader.ts';
import { sourceAt } from '../../auth/oauth/store/body.ts';
import { onPresentFacts } from '../../auth/permission/present.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { onFirstUse } from '../../kernel/first-use.ts';
import { calledFrom } from '../../kernel/request/called-from.ts';
import { callerOf, type Identify } from '../middleware/authenticate.ts';
import { jsonBody } from '../middleware/body.ts';
import { CHAT } from './centers.ts';
import { admission, admitting } from './mount.ts';

const responses = onFirstUse(() => import('../../agentic/chat/response-store.ts'));
const conversations = onFirstUse(() => import('../../agentic/chat/conversation.ts'));
const items = onFirstUse(() => import('../../agentic/chat/conversation-items.ts'));
const STORED_BYTES = 1024 * 1024;

/** A route in OpenAI's shape to what is stored of a chat. */
type Stored = {
  method: 'get' | 'post' | 'delete';
  path: string;
  /** That of the platform's own route to the same. */
  needs: string;
  /** Writes a stream into `res` itself. */
  run(app: App, caller: Caller, given: unknown, res: Response): Promise<unknown>;
};

/** Below the prefix, and below `/v1` too. */
const STORED: readonly Stored[] = [
  {
    method: 'get',
    path: '/responses/:id',
    needs: CHAT.needs,
    async run(app, caller, given, res) {
      const { Retrieve, storedResponse } = await responses();
      return storedResponse(app, caller, Retrieve.parse(given), res);
    },
  },
  {
    method: 'post',
    path: '/responses/:id/cancel',
    needs: CHAT.needs,
    async run(app, caller, given) {
      const { ById, cancelResponse } = await responses();
      return cancelResponse(app, caller, ById.parse(given));
    },
  },
  {
    method: 'get',
    path: '/responses/:id/input_items',
    needs: CHAT.needs,
    async run(app, caller, given) {
      const { Page, inputItems } = await responses();
      return inputItems(app, caller, Page.parse(given));
    },
  },
  {
    method: 'delete',
    path: '/responses/:id',
    needs: CHAT.needs,
    async run(app, caller, given) {
      const { ById, removeResponse } = await responses();
      return removeResponse(app, caller, ById.parse(given));
    },
  },
  {
    method: 'post',
    path: '/conversations',
    needs: CHAT.needs,
    async run(app, caller, given) {
      const { Create, createConversation } = await conversations();
      return createConversation(app, caller, Create.parse(given));
    },
  },
  {
    method: 'get',
    path: '/conversations/:id',
    needs: 'session:get',
    async run(app, caller, given) {
      const { ById, conversationById } = await conversations();
      return conversationById(app, caller, ById.parse(given));
    },
  },
  {
    method: 'post',
    path: '/conversations/:id',
    needs: 'session:update',
    async run(app, caller, given) {
      const { Update, updateConversation } = await conversations();
      return updateConversation(app, caller, Update.parse(given));
    },
  },
  {
    method: 'delete',
    path: '/conversations/:id',
    needs: 'session:delete',
    async run(app, caller, given) {
      const { ById, removeConversation } = await conversations();
      return removeConversation(app, caller, ById.parse(given));
    },
  },
  {
    method: 'get',
    path: '/conversations/:id/items',
    needs: 'message:list',
    async run(app, caller, given) {
      const { ConversationItems, conversationItems, Page } = await items();
      const reader = restReader(
        app,
        'GET /api/v3/agentic/conversations/{id}/items',
        ConversationItems,
      );
      return reader.read(caller, () => conversationItems(app, caller, Page.parse(given)));
    },
  },
  {
    method: 'post',
    path: '/conversations/:id/items',
    needs: CHAT.needs,
    async run(app, caller, given) {
      const { Add, addItems } = await items();
      return addItems(app, caller, Add.parse(given));
    },
  },
  {
    method: 'get',
    path: '/conversations/:id/items/:item',
    needs: 'message:list',
    async run(app, caller, given) {
      const { ConversationItem, conversationItem, ItemById } = await items();
      const reader = restReader(
        app,
        'GET /api/v3/agentic/conversations/{id}/items/{item}',
        ConversationItem,
      );
      return reader.read(caller, () => conversationItem(app, caller, ItemById.parse(given)));
    },
  },
  {
    method: 'delete',
    path: '/conversations/:id/items/:item',
    needs: 'session:update',
    run: async () => (await items()).itemsStay(),
  },
];

/** What a gateway forwards of them to a remote center. */
export const STORED_ROUTES = STORED.map(({ method, path, needs }) => ({
  method,
  paths: [path, `/v1${path}`],
  needs,
  scope: 'svc:chat' as const,
  bytes: method === 'post' ? STORED_BYTES : 0,
}));

/** Stored responses and conversations, as clients of OpenAI read and change them. */
export function storedChat(app: App, identify?: Identify): Router {
  const router = Router();
  for (const [at, { method, paths, bytes, ...route }] of STORED_ROUTES.entries()) {
    const admit = admission(app, 'agentic', route, identify);
    const run = STORED[at]?.run;
    if (!run) continue;
    const body = bytes === 0 ? [] : [jsonBody(app, bytes)];
    router[method](paths, admitting(admit), ...body, async (req, res) => {
      const again = () => admit(req, res);
      const done = (caller: Caller) => run(app, caller, givenIn(req), res);
      const work = () => onPresentFacts(app, callerOf(res), again, done);
      const answer = await calledFrom(sourceAt(res), work);
      if (answer !== undefined) res.json(answer);
    });
  }
  return router;
}

/** The body of a POST, the query of others, and the ids of the path, which no field replaces. */
function givenIn({ method, body, query, params }: Request): Record<string, unknown> {
  const given: unknown = method === 'POST' ? body : query;
  return { ...(typeof given === 'object' ? given : {}), ...params };
}
