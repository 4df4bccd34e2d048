import { randomBytes, randomUUID } from 'node:crypto';

import type { ModelMessage } from '../../../../providers/provider.ts';
import type { Limited } from '../../../auth/connection/denial.ts';
import type { App } from '../../../kernel/app/app.ts';
import { openAccount, type TurnAccount } from '../../accounting/account.ts';
import type { ActionView } from '../../action/view.ts';
import { attachedTo } from '../../attachment/data.ts';
import { notifyOutcomes } from '../../decision/notice.ts';
import { openAsking } from '../../provider/ask/ask.ts';
import { wantedOptions } from '../../provider/ask/lost-options.ts';
import { chooseModel, type Model } from '../../provider/model.ts';
import { endLostTurn } from '../../session/lost-turn.ts';
import type { Content } from '../../session/message-content.ts';
import type { StoredTurn } from '../../session/past-turns.ts';
import { pathAfter } from '../../session/path.ts';
import type { SessionExt } from '../../session/session.ts';
import { keptText, saidWith } from '../request/files.ts';
import { demandFit, fits, sightOf } from '../request/fit.ts';
import { type ChatRequest, isEmpty, noQuestion } from '../request/request.ts';
import { NO_WISHES } from '../request/tools.ts';
import { noteBrought, noteResent } from './brought.ts';
import { newHandle } from './call.ts';
import type { TurnHead } from './event.ts';
import { type Past, pastTurns, recall } from './history.ts';
import type { TurnOptions } from './loop.ts';
import { offerOf, reservedNames } from './offer.ts';
import { parkedTurns } from './parked.ts';
import { auxiliaryPrompt, clientPrompt, systemPrompt } from './prompt.ts';
import { handlesIn, replay } from './replay.ts';
import type { Question } from './store.ts';
import { asModel, listed, toolsFor } from './tool-call.ts';

export type Turn = {
  options: TurnOptions;
  head: TurnHead;
  account: TurnAccount;
  /** Actions of the conversation before this turn. */
  actions: readonly ActionView[];
  question: Question;
  /** `always`: the question is stored before the model is asked; `proposal`: only when a proposal is made. */
  keeping: 'always' | 'proposal' | 'never';
  /** Where the question of a turn that continues is stored. */
  place: StoredTurn | null;
  /** What a turn that continues has answered so far. */
  told: Content | null;
  /** The answer has a form of its own, which a card would break. */
  isFormed: boolean;
  /** The question, its attachments and what the client has done since, as messages of the model request. */
  asked: readonly ModelMessage[];
  /** Of these, what came after the question. */
  returned: readonly ModelMessage[];
  /** Actions that have ended since the turn before. */
  ended: readonly ActionView[];
};

/**
 * Collects model, preferences and history of a turn; throws when it cannot begin. `begun` is called as soon as the
 * model is known and can take the request: what is prepared after that is no reason to refuse the turn.
 */
// oxlint-disable-next-line complexity, max-lines-per-function
export async function prepare(
  app: App,
  caller: Limited,
  request: ChatRequest,
  begun: (head: TurnHead) => void,
): Promise<Turn> {
  const { isAuxiliary, later } = request;
  const since = app.clock.now();
  const parked = await parkedTurns(app, caller, handlesIn([...request.earlier, ...later]));
  const continued =
    later.at(-1)?.role === 'tool' ? parked.get(handlesIn(later).at(-1) ?? '') : undefined;
  const named = isAuxiliary ? undefined : request.conversationId;
  const conversationId = named ?? continued?.conversationId ?? randomUUID();
  const place = continued?.place?.conversationId === conversationId ? continued.place : null;
  const hasPast = named !== undefined || place !== null;
  const preferred = preferencesIn(request);
  const branch = await branchOf(app, caller, conversationId, place, request.branch);
  const permitted = isAuxiliary ? [] : await toolsFor(app, caller);
  const {
    models,
    attachments,
    past,
    asked: again,
    budgets,
  } = await recall(app, caller, {
    conversationId,
    hasPast,
    attachments: request.attachments,
    branch,
    continues: place === null ? null : Number(place.turnIndex),
    hasTools: permitted.length > 0,
    endUser: request.user ?? '',
  });
  // Preferences of the request win over the stored ones, and are stored for the next turns.
  const ext = { ...past.preferences, ...preferred };
  const {
    model,
    models: all,
    fallbacks,
  } = await chooseModel(app, models, {
    asked: request.model,
    preferred: ext.model,
  });
  demandFit(request, model, all);
  const { toolCall } = model.capabilities;
  const offer = offerOf(app, isAuxiliary ? NO_WISHES : request.tools, {
    tools: permitted,
    callsTools: toolCall && !isAuxiliary && app.config.agentic.toolCalling,
    model: model.name,
  });
  const hasTools = offer.tools.length > 0;
  const canCall = offer.tools.length + offer.clientTools.length > 0;
  const keeping = isAuxiliary ? 'never' : hasPast || request.store ? 'always' : 'proposal';
  const head: TurnHead = {
    id: `chatcmpl-${randomBytes(12).toString('hex')}`,
    created: Math.floor(app.clock.now() / 1000),
    model: model.name,
    provider: model.providerName,
    conversationId,
    isStored: keeping === 'always',
  };
  begun(head);
  // The process of the turn before has ended in its middle.
  if (past.said.at(-1)?.role === 'user' && place === null && branch === null)
    await endLostTurn(app, caller, conversationId);
  // Missing receipts are written before the next question, so that the messages are in this order.
  if (hasTools) await notifyOutcomes(app, past.untold);
  const names = new Set(reservedNames(app));
  const isReserved = (name: string) => names.has(name);
  const resent = hasPast
    ? null
    : replay(windowOf(app, request), parked, { isReserved, hasTools: canCall });
  const returned = replay(later, parked, { isReserved, hasTools: canCall });
  const asker = asModel(caller, conversationId);
  const others = [...parked.values()].map((one) => one.conversationId);
  await noteResent(app, caller, {
    conversationId,
    answers: [...(resent?.answers ?? []), ...returned.answers],
    conversations: others.filter((id) => id !== conversationId),
  });
  const results = [...(resent?.results ?? []), ...returned.results];
  await noteBrought(app, asker, results, [...(hasPast ? [] : request.earlier), request.question]);
  const question = again === null ? request.question : { text: again, media: [], files: [] };
  const text = keptText(question);
  const { messages: attached, media } = await attachedTo(app, asker, attachments, {
    hasTools: canCall,
    sight: sightOf({ question, later }, model, all),
  });
  const earlier = isEmpty(question) ? questionOf(past, place) : null;
  const shown = {
    ...question,
    text: earlier ?? question.text,
    media: [...question.media, ...media],
  };
  const said = saidWith(shown, { hasTools: canCall, id: 'files' });
  const steps =
    earlier !== null ? [...(continued?.before ?? []), ...returned.messages] : returned.messages;
  const messages = [...(canCall ? [...said, ...attached] : [...attached, ...said]), ...steps];
  const temperature = ext.temperature ?? model.temperature;
  const sent: ModelMessage[] = [
    {
      role: 'system',
      content: isAuxiliary ? auxiliaryPrompt : systemPrompt(hasTools, past.actions),
    },
    ...clientPrompt(request.instructions),
    ...(resent?.messages ?? pastTurns(app, before(past, place), { hasTools })),
    ...messages,
  ];
  const candidates: [Model, ...Model[]] = [model, ...fallbacks.filter((one) => fits(request, one))];
  const account = openAccount(app, caller, {
    turnId: head.id,
    conversationId,
    endUser: request.user ?? '',
    isBudgeted: budgets.length > 0,
    maxTokens: ext.maxTokens ?? model.maxTokens,
    prices: candidates.map(({ price }) => price),
    request: { messages: sent, tools: [...listed(offer.tools), ...offer.clientTools] },
  });
  const { format, sampling } = request;
  const asking = openAsking(app, caller, candidates, {
    wantsReasoning: ext.reasoningEnabled ?? false,
    wanted: wantedOptions({ ...sampling, ...offer.options }, ext),
    beforeLater: account.holdMore,
  });
  const maxTokens = account.limit ?? ext.maxTokens;
  return {
    options: {
      asking,
      tools: offer.tools,
      clientTools: offer.clientTools,
      handle: newHandle(),
      conversationId,
      messages: sent,
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      options: { ...sampling, ...offer.options, ...(format ? { format } : {}) },
    },
    account,
    actions: past.actions,
    question: {
      conversationId,
      model: model.name,
      ext: preferred,
      text,
      attachments,
      since,
      branch,
      turnId: head.id,
    },
    keeping,
    place,
    told: continued?.told ?? null,
    isFormed: format !== undefined,
    asked: messages,
    returned: steps,
    head,
    ended: hasTools ? endedIn(past) : [],
  };
}

const branchOf = async (
  app: App,
  caller: Limited,
  conversationId: string,
  place: StoredTurn | null,
  asked: ChatRequest['branch'],
) => {
  if (asked?.how !== 'after') return asked;
  // A turn that continues stays where it began.
  return place === null ? pathAfter(app, caller, conversationId, asked) : null;
};

/** The actions that end with their first receipts in this turn. */
const endedIn = ({ untold, actions }: Past): ActionView[] =>
  actions.filter(({ actionId }) => untold.some((each) => each.actionId === actionId));

function preferencesIn({ model, temperature, maxTokens, reasoning }: ChatRequest): SessionExt {
  return {
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(reasoning === undefined ? {} : { reasoningEnabled: reasoning }),
  };
}

/** History resent by the client: its latest whole turns that fit into the window. */
function windowOf(app: App, { earlier }: ChatRequest): ChatRequest['earlier'] {
  const beginnings = earlier.flatMap(({ role }, at) => (role === 'user' ? [at] : []));
  const first = earlier.length - app.config.agentic.historyWindow;
  const from = beginnings.find((at) => at >= first);
  return from === undefined ? [] : earlier.slice(from);
}

/** The stored question of a turn that continues; throws BadRequest when there is none. */
function questionOf({ said }: Pick<Past, 'said'>, place: StoredTurn | null): string {
  const stored = said.find(({ messageIndex }) => messageIndex === place?.turnIndex);
  if (!stored) throw noQuestion();
  return stored.text;
}

/** The past without the turn that continues. */
const before = <P extends { said: readonly { messageIndex: string }[] }>(
  past: P,
  place: StoredTurn | null,
): P =>
  place === null
    ? past
    : {
        ...past,
        said: past.said.filter(
          ({ messageIndex }) => Number(messageIndex) < Number(place.turnIndex),
        ),
      };
