import { randomBytes, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

import type { ModelMessage } from '../../../providers/provider.ts';
import type { App, Caller } from '../../app.ts';
import { inTenant } from '../../db/tenant.ts';
import { markdownOf } from '../action/card/markdown.ts';
import { attachmentsOf } from '../attachment/attachment.ts';
import { asked } from '../attachment/data.ts';
import { chooseModel } from '../provider/model.ts';
import { preferencesOf, type SessionExt } from '../session/session.ts';
import { type ChatSink, jsonSink, streamSink, type TurnHead } from './answer.ts';
import {
  actionsById,
  type Kept,
  keepAnswer,
  keepQuestion,
  type Recalled,
  recall,
} from './history.ts';
import { runTurn, type ToolTrace, type TurnEnd, type TurnOptions } from './loop.ts';
import { openAiError } from './openai-error.ts';
import { clientPrompt, systemPrompt } from './prompt.ts';
import { type ChatRequest, readChatRequest } from './request.ts';
import { toolsFor } from './tool-call.ts';

const NOTHING: Recalled = { turns: [], actions: [] };

type Turn = {
  options: TurnOptions;
  ext: SessionExt;
  head: TurnHead;
  kept: Kept;
  /** The question and its attachments, as messages of the model request. */
  asked: readonly ModelMessage[];
};

/**
 * POST /chat/completions (docs/specification/assistant.md, Chat completions) in OpenAI's shape, as JSON or
 * as server-sent chunks; `signal` fires when the client disconnects. Writes every response itself, errors
 * included.
 */
export async function chatCompletions(
  app: App,
  caller: Caller,
  body: unknown,
  res: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  let sink: ChatSink | undefined;
  try {
    const request = readChatRequest(body);
    const turn = await prepare(app, caller, request);
    // On a closed response, no `close` event would stop the keep-alive timer of a stream.
    signal.throwIfAborted();
    // A stream sends status 200 here: later errors go into the stream. JSON keeps an error status.
    sink = request.stream
      ? streamSink(app, res, turn.head, { includeUsage: request.includeUsage, signal })
      : jsonSink(res, turn.head);
    await answer(app, caller, turn, sink, signal);
  } catch (error) {
    if (signal.aborted) return void res.destroy();
    const { status, headers, body: shaped } = openAiError(error);
    if (status >= 500) app.log.error({ error }, 'a chat turn failed');
    else if (error instanceof Error && error.cause !== undefined)
      app.log.warn({ error }, 'a chat turn was refused');
    if (sink?.fail(shaped)) return;
    const text = JSON.stringify({ ...shaped, ...sink?.extraFields() });
    res
      .writeHead(status, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(text),
        'x-should-retry': 'false',
        ...headers,
      })
      .end(text);
  }
}

/** Collects model, preferences and history of a turn, and stores the question. */
async function prepare(app: App, caller: Caller, request: ChatRequest): Promise<Turn> {
  const conversationId = request.conversationId ?? randomUUID();
  const hasPast = request.conversationId !== undefined;
  const preferred = preferencesIn(request);
  // Preferences of the request win over the stored ones, and are stored for the next turns.
  const ext = { ...(hasPast ? await remembered(app, caller, conversationId) : {}), ...preferred };
  const model = await chooseModel(app, caller, ext.model);
  const hasTools = model.capabilities.toolCall && (await toolsFor(app, caller)).length > 0;
  const past = hasPast ? await recall(app, caller, conversationId, { hasTools }) : NOTHING;
  const attachments = await attachmentsOf(app, caller, conversationId, request.attachments);
  const { question: text } = request;
  const messages = await asked(app, text, attachments, { hasTools });
  const kept = await keepQuestion(app, caller, {
    conversationId,
    model: model.name,
    ext: preferred,
    text,
    attachments,
  });
  const temperature = ext.temperature ?? model.temperature;
  const maxTokens = ext.maxTokens ?? model.maxTokens;
  return {
    options: {
      model,
      conversationId,
      messages: [
        { role: 'system', content: systemPrompt(hasTools, past.actions) },
        ...clientPrompt(request.instructions),
        ...(hasPast ? past.turns : turnsOf(app, request)),
        ...messages,
      ],
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(model.capabilities.reasoning
        ? { reasoning: ext.reasoningEnabled ? 'asked' : 'usual' }
        : {}),
    },
    ext,
    kept,
    asked: messages,
    head: {
      id: `chatcmpl-${randomBytes(12).toString('hex')}`,
      created: Math.floor(app.clock.now() / 1000),
      model: model.name,
      provider: model.providerName,
      conversationId,
    },
  };
}

/** Stored preferences; empty for a conversation that does not exist. */
const remembered = (app: App, caller: Caller, conversationId: string): Promise<SessionExt> =>
  inTenant(app.db, caller.tenantId, (q) => preferencesOf(q, caller, conversationId));

function preferencesIn({ model, temperature, maxTokens, reasoning }: ChatRequest): SessionExt {
  return {
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(reasoning === undefined ? {} : { reasoningEnabled: reasoning }),
  };
}

/** History resent by the client, cut to the window; its tool messages are not trusted and dropped. */
function turnsOf(app: App, { earlier }: ChatRequest): ModelMessage[] {
  const said: ModelMessage[] = [];
  for (const { role, content } of earlier) {
    if (content === '') continue;
    if (role === 'user' || role === 'assistant') said.push({ role, content });
  }
  const turns = said.slice(-app.config.agentic.historyWindow);
  const first = turns.findIndex(({ role }) => role === 'user');
  return first === -1 ? [] : turns.slice(first);
}

/** Runs the turn into the sink and stores the answer, also an unfinished one. */
async function answer(
  app: App,
  caller: Caller,
  { options, ext, head, kept, asked: question }: Turn,
  sink: ChatSink,
  signal: AbortSignal,
): Promise<void> {
  const told = { text: '', tools: [] as ToolTrace[], actions: [] as string[] };
  const messages = [...question];
  let unsaid = '';
  const { conversationId } = kept;
  const keep = (isFinished: boolean): Promise<void> => {
    const all = { model: head.model, content: told, messages, unsaid, isFinished };
    return keepAnswer(app, caller, kept, all).catch((error: unknown) =>
      app.log.error({ error, conversationId }, 'chat answer not saved'),
    );
  };
  let isShown = false;
  /** Sends the cards of the proposed actions, worded by the server and not by the model. */
  async function showCards(): Promise<void> {
    isShown = true;
    const cards = await actionsById(app, caller, told.actions);
    const block = cards.map((card) => markdownOf(card, app.config.baseUrl)).join('');
    told.text += block;
    if (signal.aborted) return;
    for (const card of cards) await sink.pending(card);
    if (block) await sink.text(block);
  }
  let end: TurnEnd | undefined;
  try {
    if (ext.temperature !== undefined && options.model.provider.ignores?.includes('temperature'))
      await sink.warn('temperature_ignored');
    for await (const event of runTurn(app, caller, options, signal)) {
      if (event.type === 'text') {
        told.text += event.text;
        unsaid += event.text;
        await sink.text(event.text);
      } else if (event.type === 'message') {
        messages.push(event.message);
        unsaid = '';
      } else if (event.type === 'action') {
        told.actions.push(event.actionId);
      } else if (event.type === 'end') {
        await showCards();
        // Stored before the client gets the end: its next turn must find this answer.
        await keep(true);
        end = event;
      } else {
        if (event.type === 'tool.end') {
          const { type: _type, ...trace } = event;
          told.tools.push(trace);
        }
        await sink.tool(event);
      }
    }
  } catch (error) {
    // Proposed actions stay pending after an error: the client gets their cards with it.
    if (!isShown)
      await showCards().catch((failure: unknown) =>
        app.log.error({ error: failure, conversationId }, 'cards of a failed chat turn not sent'),
      );
    await keep(false);
    throw error;
  }
  if (end) await sink.end(end);
}
