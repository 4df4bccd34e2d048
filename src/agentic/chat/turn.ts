import { randomBytes, randomUUID } from 'node:crypto';

import type { ModelMessage } from '../../../providers/provider.ts';
import type { App } from '../../app.ts';
import type { Limited } from '../../auth/connection/denial.ts';
import { notifyOutcomes } from '../action/outcome/notice.ts';
import { asked } from '../attachment/data.ts';
import { chooseModel } from '../provider/model.ts';
import type { SessionExt } from '../session/session.ts';
import type { TurnHead } from './answer.ts';
import { pastTurns, recall } from './history.ts';
import type { Question } from './keep.ts';
import type { TurnOptions } from './loop.ts';
import { clientPrompt, systemPrompt } from './prompt.ts';
import type { ChatRequest } from './request.ts';
import { noteResent } from './resent.ts';
import { asModel, toolsFor } from './tool-call.ts';

export type Turn = {
  options: TurnOptions;
  ext: SessionExt;
  head: TurnHead;
  /** To be stored before the model is asked. */
  question: Question;
  /** The question and its attachments, as messages of the model request. */
  asked: readonly ModelMessage[];
};

/** Collects model, preferences and history of a turn; throws when it cannot begin. */
export async function prepare(app: App, caller: Limited, request: ChatRequest): Promise<Turn> {
  const conversationId = request.conversationId ?? randomUUID();
  const hasPast = request.conversationId !== undefined;
  const preferred = preferencesIn(request);
  const tools = await toolsFor(app, caller);
  const { models, attachments, past } = await recall(app, caller, {
    conversationId,
    hasPast,
    attachments: request.attachments,
    hasTools: tools.length > 0,
  });
  // Preferences of the request win over the stored ones, and are stored for the next turns.
  const ext = { ...past.preferences, ...preferred };
  const model = await chooseModel(app, models, ext.model);
  const hasTools = model.capabilities.toolCall && tools.length > 0;
  // Missing receipts are written before the next question, so that the messages are in this order.
  if (hasTools) await notifyOutcomes(app, past.untold);
  const resent = hasPast ? [] : turnsOf(app, request);
  const answers = resent.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []));
  await noteResent(app, caller, { conversationId, answers });
  const { question: text } = request;
  const messages = await asked(app, asModel(caller, conversationId), text, attachments, {
    hasTools,
  });
  const temperature = ext.temperature ?? model.temperature;
  const maxTokens = ext.maxTokens ?? model.maxTokens;
  return {
    options: {
      model,
      tools,
      conversationId,
      messages: [
        { role: 'system', content: systemPrompt(hasTools, past.actions) },
        ...clientPrompt(request.instructions),
        ...(hasPast ? pastTurns(app, past, { hasTools }) : resent),
        ...messages,
      ],
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(model.capabilities.reasoning
        ? { reasoning: ext.reasoningEnabled ? 'asked' : 'usual' }
        : {}),
    },
    ext,
    question: { conversationId, model: model.name, ext: preferred, text, attachments },
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
