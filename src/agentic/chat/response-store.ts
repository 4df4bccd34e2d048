import type { ServerResponse } from 'node:http';

import { z } from 'zod';

import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { AppError, BadRequest } from '../../kernel/errors.ts';
import { Text } from '../../kernel/input/text.ts';
import { dropHandle, handlesFound, keepHandle } from '../session/handle.ts';
import { longestTurnMs } from '../session/lost-turn.ts';
import { directOutlet } from './answer/outlet.ts';
import {
  ofPrincipal,
  recordingElsewhere,
  recordingOf,
  stopElsewhere,
  stopTurn,
} from './answer/recording/recording.ts';
import { sendStored } from './answer/response-sink.ts';
import { turnIdOf } from './answer/response-state.ts';
import type { ChatResponse } from './answer/response.ts';
import type { Echo } from './request/response-request.ts';

/** How long a response can be read and continued by its id; its conversation stays. */
const KNOWN_MS = 30 * 24 * 3_600_000;
/** Characters of JSON; a longer response, and a longer input, can be continued and not read. */
const MAX_RESPONSE = 256_000;
const MAX_INPUT = 64_000;
/** What one in the background repeats of its request; the rest is for its answer. */
const MAX_ECHO = MAX_RESPONSE / 2;
/** How often and when it is looked whether a stopped response has ended. */
const LOOKS = 20;
const LOOK_MS = 100;

const handleOf = (id: string): string => `resp:${id}`;

/** An input item as clients of OpenAI read it. */
const InputItem = z.looseObject({ id: z.string(), type: z.string() });
type InputItem = z.output<typeof InputItem>;

/** A page of the input items of a response. */
export const ResponseInput = z
  .object({
    object: z.literal('list'),
    data: z.array(InputItem),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'ResponseInput' });
type ResponseInput = z.output<typeof ResponseInput>;

export const DeletedResponse = z
  .object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) })
  .meta({ id: 'DeletedResponse' });
type DeletedResponse = z.output<typeof DeletedResponse>;

const Stored = z.object({
  response: z.looseObject({
    id: z.string(),
    status: z.string(),
    created_at: z.number(),
    background: z.boolean().catch(false),
  }),
  input: z.array(InputItem).nullable(),
});

export const ById = z.object({ id: Text(128).min(1) });
export const Retrieve = ById.extend({
  stream: z.enum(['true', 'false']).default('false'),
  /** Number of the last event that the client has. */
  starting_after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
});
export const Page = ById.extend({
  after: Text(256).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
});

/** Throws BadRequest for a response in the background that would be too long to be read by its id. */
export function demandReadable(echo: Echo): void {
  if (echo.background && JSON.stringify(echo).length > MAX_ECHO)
    throw new BadRequest(
      `is for a request of which a response repeats ${MAX_ECHO} characters of JSON at most: its instructions and tools are too long`,
      { param: 'background' },
    );
}

/** Stores a response as it ended, or as it began in the background, with what was asked, under its id. */
export const keepResponse = (
  app: App,
  caller: Caller,
  conversationId: string,
  { x_svc: _x_svc, ...ended }: ChatResponse,
  input: unknown,
): Promise<void> => {
  // Reasoning goes to the caller of its turn, and nowhere else: it may quote texts of anyone.
  const output = ended.output.filter(({ type }) => type !== 'reasoning');
  const response = { ...ended, output };
  const items = itemsOf(response.id, input);
  const isShort = JSON.stringify(items).length <= MAX_INPUT;
  const state = { response, input: isShort ? items : null };
  const isKept = JSON.stringify(response).length <= MAX_RESPONSE;
  const isKnown = response.background && response.status !== 'in_progress';
  return inOneTrip(app.db, caller.tenantId, (q) =>
    keepHandle(app, q, caller, {
      handle: handleOf(response.id),
      conversationId,
      keptMs: KNOWN_MS,
      isKnown,
      ...(isKept ? { state } : {}),
    }),
  );
};

/** The conversation of a stored response. */
export async function conversationOf(
  app: App,
  caller: Caller,
  id: string,
): Promise<string | undefined> {
  return (await found(app, caller, id))?.conversationId;
}

async function found(app: App, caller: Caller, id: string) {
  const [handle] = await inOneTrip(app.db, caller.tenantId, (q) =>
    handlesFound(app, q, caller, [handleOf(id)]),
  );
  return handle;
}

/**
 * GET /responses/{id}: the response as it ended, or how far it is in the background. With `stream` its events after
 * number `starting_after` are written into `res`: live, and up to a minute after its end; later the first and the last
 * alone. Throws 404, and 503 while no process says that it makes it.
 */
export async function storedResponse(
  app: App,
  caller: Caller,
  { id, stream, starting_after: last }: z.output<typeof Retrieve>,
  res: ServerResponse,
): Promise<unknown> {
  const { response, conversationId } = await readable(app, caller, id);
  if (stream === 'false') return response;
  const left = new AbortController();
  res.once('close', () => left.abort());
  const turnId = turnIdOf(id);
  const { background } = response;
  const owner = ofPrincipal(caller);
  const recording =
    recordingOf(app, owner, turnId) ??
    (background ? await recordingElsewhere(app, owner, turnId) : null);
  if (left.signal.aborted) return void res.destroy();
  if (background && recording) return recording.follow(res, last === undefined ? 0 : last + 1);
  if (response.status === 'in_progress') throw elsewhere();
  return sendStored(directOutlet(app, res, conversationId, left.signal), response);
}

const elsewhere = (): AppError =>
  new AppError(503, 'turn_elsewhere', 'No process says that it makes this response', {
    detail: { retryAfterSeconds: 2 },
  });

/** GET /responses/{id}/input_items: what was asked, the latest first unless `order` is asc. Throws 404. */
export async function inputItems(
  app: App,
  caller: Caller,
  { id, after, limit, order }: z.output<typeof Page>,
): Promise<ResponseInput> {
  const { input } = await readable(app, caller, id);
  if (input === null) throw notFound(id, 'its input was too long to be stored');
  const all = order === 'asc' ? input : input.toReversed();
  const from = after === undefined ? 0 : all.findIndex((item) => item.id === after) + 1;
  if (after !== undefined && from === 0)
    throw new AppError(404, 'item_not_found', 'The response has no input item of this id', {
      detail: { param: 'after' },
    });
  const data = all.slice(from, from + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + limit < all.length,
  };
}

/** DELETE /responses/{id}: it can be neither read nor continued by its id; its conversation stays. Throws 404. */
export async function removeResponse(
  app: App,
  caller: Caller,
  { id }: z.output<typeof ById>,
): Promise<DeletedResponse> {
  const gone = await inTenant(app.db, caller.tenantId, (q) => dropHandle(q, caller, handleOf(id)));
  if (!gone) throw notFound(id);
  const { status = 'in_progress' } = Stored.safeParse(gone.state).data?.response ?? {};
  if (status === 'in_progress')
    await stopMaking(app, caller, id).catch((error: unknown) => {
      app.log.warn({ error, response: id }, 'a deleted response not stopped');
    });
  return { id, object: 'response', deleted: true };
}

/** Ends the turn of a response in whatever process; false where none says that it makes it. */
async function stopMaking(app: App, caller: Caller, id: string): Promise<boolean> {
  const owner = ofPrincipal(caller);
  const turnId = turnIdOf(id);
  return stopTurn(app, owner, turnId) || (await stopElsewhere(app, owner, turnId));
}

/**
 * POST /responses/{id}/cancel: ends one that is made in the background, in whatever process, and answers it with what there
 * is of it; one that has ended as it ended. Throws 404, 400 for others, and 503 as `storedResponse` does.
 */
export async function cancelResponse(
  app: App,
  caller: Caller,
  { id }: z.output<typeof ById>,
): Promise<Record<string, unknown>> {
  let { response } = await readable(app, caller, id);
  if (!response.background)
    throw new BadRequest(
      'This response was not made in the background; a client that leaves its request ends the turn',
      { param: 'response_id' },
    );
  if (response.status !== 'in_progress') return response;
  if (!(await stopMaking(app, caller, id))) throw elsewhere();
  // A tool that runs is waited for, and then what there is of the answer is stored.
  for (let looks = 0; looks < LOOKS && response.status === 'in_progress'; looks += 1) {
    await new Promise<void>((resolve) => void app.clock.after(LOOK_MS, resolve));
    ({ response } = await stored(app, caller, id));
  }
  return response;
}

async function readable(app: App, caller: Caller, id: string) {
  const { response, ...others } = await stored(app, caller, id);
  return { ...others, response: await settled(app, caller, response) };
}

async function stored(app: App, caller: Caller, id: string) {
  const handle = await found(app, caller, id);
  if (handle === undefined) throw notFound(id);
  const state = Stored.safeParse(handle.state).data;
  if (!state) throw notFound(id, 'it was too long, or 200 newer ones are stored');
  return { ...state, conversationId: handle.conversationId };
}

/** A response that must have ended by now, and was not stored, failed with the process that made it. */
async function settled(
  app: App,
  { tenantId }: Caller,
  response: z.output<typeof Stored>['response'],
): Promise<z.output<typeof Stored>['response']> {
  const { status, created_at: sinceS } = response;
  if (status !== 'in_progress') return response;
  const longestMs = await inOneTrip(app.db, tenantId, (q) => longestTurnMs(app, q, tenantId));
  if (app.clock.now() < sinceS * 1000 + longestMs) return response;
  const message = 'It did not end in the time that a turn may take';
  return { ...response, status: 'failed', error: { code: 'server_error', message } };
}

const notFound = (id: string, why = 'one with store: false is not stored'): AppError =>
  new AppError(404, 'response_not_found', `There is no response ${JSON.stringify(id)}: ${why}`, {
    detail: { param: 'response_id' },
  });

const Given = z.looseObject({
  id: z.string().max(256).optional().catch(undefined),
  type: z.string().default('message'),
});

/** Items with ids, and their texts as parts. */
function itemsOf(id: string, input: unknown): InputItem[] {
  const items: readonly unknown[] = Array.isArray(input)
    ? input
    : [{ role: 'user', content: input }];
  return items.map((item, at) => {
    const { id: named = `item_${id.replace(/^resp_/, '')}_${at}`, ...given } = Given.parse(item);
    const { role, content } = given;
    const type = role === 'assistant' ? 'output_text' : 'input_text';
    const parts = typeof content === 'string' ? { content: [{ type, text: content }] } : {};
    const isMessage = given.type === 'message';
    return { ...given, ...parts, ...(isMessage ? { status: 'completed' } : {}), id: named };
  });
}
