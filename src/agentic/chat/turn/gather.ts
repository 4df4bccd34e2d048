import { randomUUID } from 'node:crypto';

import type { Limited } from '../../../auth/connection/denial.ts';
import type { App, Tool } from '../../../kernel/app/app.ts';
import { type Model, chooseModel } from '../../provider/model.ts';
import type { SessionExt } from '../../session/session.ts';
import type { StoredTurn } from '../branch/past-turns.ts';
import { pathAfter } from '../branch/path.ts';
import { toolsFor } from '../loop/tool-call.ts';
import { demandFit, fits } from '../request/fit.ts';
import type { ChatRequest } from '../request/request.ts';
import { NO_WISHES } from '../request/tools.ts';
import { recall } from './history.ts';
import { narrowed, toolLimit } from './narrow.ts';
import { offerOf } from './offer.ts';
import { handlesIn, parkedTurns } from './replay.ts';
import { placeResent } from './resent.ts';

/** A request as the steps of its preparation read it. */
export type Asker = { app: App; caller: Limited; request: ChatRequest };

export type Located = Awaited<ReturnType<typeof locate>>;
export type Gathered = Awaited<ReturnType<typeof gather>>;
export type Chosen = Awaited<ReturnType<typeof choose>>;

/** Step 1: the conversation of the request, and the turn that it continues. */
export async function locate({ app, caller, request }: Asker) {
  const { isAuxiliary, earlier, later } = request;
  const parked = await parkedTurns(app, caller, handlesIn([...earlier, ...later]));
  const waiting =
    later.at(-1)?.role === 'tool' ? parked.get(handlesIn(later).at(-1) ?? '') : undefined;
  const named = isAuxiliary ? undefined : request.conversationId;
  const conversationId = named ?? waiting?.conversationId ?? randomUUID();
  /** Where the question of a turn that continues is stored. */
  const continued = waiting?.place?.conversationId === conversationId ? waiting.place : null;
  const branch = await branchOf({ app, caller, request }, conversationId, continued);
  const hasPast = named !== undefined || continued !== null;
  const isNew = branch?.how === 'path' && branch.brought !== undefined;
  return {
    conversationId,
    parked,
    waiting,
    continued,
    hasPast,
    /** The model is sent the past as the client resends it. */
    isResent: !hasPast || isNew || request.isRecognised,
    branch,
  };
}

/** Step 2: what is stored of the conversation, the models, and the tools that the caller may use. */
export async function gather(
  { app, caller, request }: Asker,
  { conversationId, hasPast, branch, continued }: Located,
) {
  const permitted = request.isAuxiliary ? [] : await toolsFor(app, caller);
  const recalled = await recall(app, caller, {
    conversationId,
    hasPast,
    attachments: request.attachments,
    branch,
    continues: continued === null ? null : Number(continued.turnIndex),
    hasTools: permitted.length > 0,
    endUser: request.user ?? '',
  });
  const preferred = preferencesIn(request);
  // Preferences of the request win over the stored ones, and are stored for the next turns.
  const ext: SessionExt = { ...recalled.past.preferences, ...preferred };
  return { ...recalled, permitted, preferred, ext };
}

/** Step 3: the model, and what it is offered; throws where it cannot do what the request wants. */
export async function choose({ app, request }: Asker, gathered: Gathered) {
  const { models, ext, permitted } = gathered;
  const { isAuxiliary } = request;
  const chosen = await chooseModel(app, models, { asked: request.model, preferred: ext.model });
  const { model, fallbacks } = chosen;
  demandFit(request, model, chosen.models);
  const { toolCall } = model.capabilities;
  const whole = offerOf(app, isAuxiliary ? NO_WISHES : request.tools, {
    tools: permitted,
    callsTools: toolCall && !isAuxiliary && app.config.agentic.toolCalling,
    model: model.name,
  });
  const forFiles = gathered.attachments.length > 0 ? FOR_FILES : [];
  const tools = whole.tools.map((tool): Tool =>
    forFiles.includes(tool.name) ? { ...tool, listed: 'direct' } : tool,
  );
  const offer = { ...whole, tools: fewerFor(model, tools, request, { ...gathered, forFiles }) };
  const candidates: [Model, ...Model[]] = [
    model,
    ...fallbacks.filter((one) => fits(request, one, model)),
  ];
  return {
    model,
    models: chosen.models,
    candidates,
    offer,
    hasTools: offer.tools.length > 0,
    canCall: offer.tools.length + offer.clientTools.length > 0,
  };
}

/** Listed in the turns with files, found in others. */
const FOR_FILES: readonly string[] = ['readFile'];

/** A small model is listed fewer tools, by this question and the one before it. */
function fewerFor(
  { name, parameters }: Model,
  tools: readonly Tool[],
  { tools: { allowed, choice }, question }: ChatRequest,
  { past, asked, forFiles }: Pick<Gathered, 'past' | 'asked'> & { forFiles: readonly string[] },
): readonly Tool[] {
  const max = toolLimit(name, parameters.findLast((map) => map.tools !== undefined)?.tools);
  if (max === null || allowed !== null) return tools;
  const before = past.said.findLast(({ role }) => role === 'user')?.text ?? '';
  return narrowed(tools, {
    max,
    question: `${asked ?? question.text} ${before}`,
    needed: [...(typeof choice === 'object' ? [choice.name] : []), ...forFiles],
  });
}

async function branchOf(
  { app, caller, request }: Asker,
  conversationId: string,
  continued: StoredTurn | null,
) {
  const { branch } = request;
  // A turn that continues stays where it began.
  if (continued !== null) return branch?.how === 'after' ? null : branch;
  if (branch?.how === 'after') return pathAfter(app, caller, conversationId, branch);
  return branch ?? placeResent(app, caller, conversationId, request);
}

function preferencesIn({ model, temperature, maxTokens, reasoning }: ChatRequest): SessionExt {
  return {
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(reasoning === undefined ? {} : { reasoningEnabled: reasoning }),
  };
}
