import { type Request, type Response, Router } from 'express';
import { z } from 'zod';

import { TurnId } from '../../agentic/chat/turn-id.ts';
import { openAiModel, openAiModels } from '../../agentic/provider/model.ts';
import { whitelistOf } from '../../auth/connection/whitelist.ts';
import { sourceAt } from '../../auth/oauth/store/body.ts';
import { isPresent, onPresentFacts } from '../../auth/permission/present.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { onFirstUse } from '../../kernel/first-use.ts';
import { calledFrom } from '../../kernel/request/called-from.ts';
import { callerOf, type Identify } from '../middleware/authenticate.ts';
import { jsonBody } from '../middleware/body.ts';
import { concurrencyLimit } from '../middleware/concurrency-limit.ts';
import { principalOf } from '../middleware/places.ts';
import { CHAT, MODELS } from './centers.ts';
import { admission, admitting } from './mount.ts';
import { storedChat } from './stored-chat.ts';

/**
 * Below the agentic center's prefix, outside its table: answers have OpenAI's shape. Some clients append
 * `/v1` to every base URL.
 */
export const CHAT_PATHS = ['/chat/completions', '/v1/chat/completions'];
/** The rest of a streamed turn, for the client that began it. */
export const STREAM_PATHS = ['/chat/stream/:turnId', '/v1/chat/stream/:turnId'];
/** A name may hold a slash that its client does not encode. */
export const MODEL_PATHS = ['/models', '/v1/models', '/models/*id', '/v1/models/*id'];
export const RESPONSE_PATHS = ['/responses', '/v1/responses'];
/** Images come inside the body. */
export const CHAT_BYTES = 12 * 1024 * 1024;
const completions = onFirstUse(() => import('../../agentic/chat/serve.ts'));
const newer = onFirstUse(() => import('../../agentic/chat/responses.ts'));
const resuming = onFirstUse(() => import('../../agentic/chat/resume.ts'));
/** Of one end user; each holds a request to the provider. */
const MAX_TURNS_UNDER_WAY = 8;
/** Of all end users of one principal, as of the key of a chat server. */
const MAX_TURNS_OF_PRINCIPAL = 64;
const MAX_USER = 128;

/** What a page of another origin may call, and the centers' own table has: files of the chat. */
export const FILE_PATHS = ['/attachment/upload', '/attachment/list', '/attachment/download'];

/** The chat endpoint: histories are longer than other bodies. */
export function chat(app: App, identify?: Identify): Router {
  const mayChoose = admission(app, 'agentic', MODELS, identify);
  const mayChat = admission(app, 'agentic', CHAT, identify);
  const all = concurrencyLimit(MAX_TURNS_OF_PRINCIPAL, 'answers for this key', principalOf);
  const ofUser = (res: Response, req: Request) => `${principalOf(res)}:${endUserOf(req) ?? ''}`;
  const turns = concurrencyLimit(MAX_TURNS_UNDER_WAY, 'answers', ofUser, { headers: true });
  return Router()
    .post(
      [...CHAT_PATHS, ...RESPONSE_PATHS],
      admitting(mayChat),
      all,
      jsonBody(app, CHAT_BYTES),
      turns,
      async (req, res) => {
        const left = new AbortController();
        res.on('close', () => left.abort());
        const again = async () => withConnection(app, await mayChat(req, res));
        const run = isResponses(req.path)
          ? (await newer()).responses
          : (await completions()).chatCompletions;
        const known = await withConnection(app, callerOf(res));
        // A refusal on facts from memory is checked against the present ones first.
        const isRefused = known.connection.ended !== null && !(await isPresent(app, known));
        const present = isRefused ? await again() : known;
        await calledFrom(sourceAt(res), () =>
          onPresentFacts(app, present, again, (caller) =>
            run(app, caller, inputOf(req), res, left.signal),
          ),
        );
      },
    )
    .get(STREAM_PATHS, admitting(mayChat), async (req, res) => {
      const left = new AbortController();
      res.on('close', () => left.abort());
      const asked = Resumed.parse({
        turnId: req.params['turnId'],
        after: req.get('last-event-id') || req.query['after'],
      });
      const { resumeTurn } = await resuming();
      await onPresentFacts(
        app,
        callerOf(res),
        () => mayChat(req, res),
        (caller) => resumeTurn(app, caller, asked, res, left.signal),
      );
    })
    .get(MODEL_PATHS, admitting(mayChoose), async (req, res) => {
      const named: unknown = req.params['id'];
      const id = Array.isArray(named) ? named.join('/') : named;
      const again = () => mayChoose(req, res);
      const answer = await onPresentFacts(app, callerOf(res), again, async (caller) =>
        typeof id === 'string'
          ? openAiModel(app, caller, id)
          : { object: 'list', data: await openAiModels(app, caller) },
      );
      res.json(answer);
    })
    .use(storedChat(app, identify));
}

const isResponses = (path: string): boolean => /\/responses\/?$/i.test(path);

const Resumed = z.object({
  turnId: TurnId,
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
});

const withConnection = async (app: App, caller: Caller) => ({
  ...caller,
  connection: await whitelistOf(app, caller),
});

/** The person behind a key that a chat server uses for all; its limits and its accounting are apart. */
function endUserOf(req: Request): string | undefined {
  const { data } = Named.safeParse(req.body);
  return data?.user ?? req.get('x-openwebui-user-id')?.slice(0, MAX_USER);
}

const Named = z.object({ user: z.string().max(MAX_USER).optional().catch(undefined) });

/** Chat clients that cannot add a body field send the conversation id, and the end user, in a header. */
function inputOf(req: Request): unknown {
  const named = req.get('x-conversation-id')?.trim() || undefined;
  const conversationId = named === undefined ? openWebUiChat(req) : decoded(named);
  const user = endUserOf(req);
  const { success, data } = Extended.safeParse(req.body);
  if (!success || (conversationId ?? user) === undefined) return req.body;
  const resent = named === undefined ? conversationId !== undefined : saysResent(req);
  return {
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(user === undefined ? {} : { user }),
    ...data,
    ...(resent ? { x_svc: { resent, ...data.x_svc } } : {}),
  };
}

/** A body that headers may add to; one that is none is refused later. */
const Extended = z.looseObject({ x_svc: z.looseObject({}).nullish() });

/** Open WebUI shows and sends the whole conversation; any other client with an id of its own may say that it does. */
const saysResent = (req: Request): boolean =>
  req.get('x-conversation-resent')?.trim().toLowerCase() === 'true';

/** Open WebUI's temporary chats are in no conversation; `local:` is how earlier releases name them. */
function openWebUiChat(req: Request): string | undefined {
  const id = req.get('x-openwebui-chat-id')?.trim();
  return !id || /^(temporary|local):/.test(id) ? undefined : id;
}

/** The id is percent-encoded, as in answers: a header carries ASCII only. */
function decoded(header: string): string {
  try {
    return decodeURIComponent(header);
  } catch {
    throw new BadRequest('x-conversation-id must be percent-encoded', {
      param: 'x-conversation-id',
    });
  }
}
