import { randomBytes } from 'node:crypto';

import type { ModelMessage } from '../../../../providers/request/provider.ts';
import type { Limited } from '../../../auth/connection/denial.ts';
import type { App } from '../../../kernel/app/app.ts';
import { type TurnAccount, openAccount } from '../../accounting/account.ts';
import type { ActionView } from '../../action/view.ts';
import { openAsking } from '../../provider/ask/ask.ts';
import { wantedOptions } from '../../provider/ask/lost-options.ts';
import type { Content } from '../../session/message-content.ts';
import type { StoredTurn } from '../branch/past-turns.ts';
import { type TurnHead, newHandle } from '../loop/event.ts';
import type { TurnOptions } from '../loop/loop.ts';
import { listed } from '../loop/tool-call.ts';
import type { ChatRequest } from '../request/request.ts';
import { ask, closePast, compose, replayBoth } from './compose.ts';
import {
  type Asker,
  type Chosen,
  type Gathered,
  type Located,
  choose,
  gather,
  locate,
} from './gather.ts';
import type { Past } from './history.ts';
import type { Question } from './store.ts';

export type Turn = {
  options: TurnOptions;
  head: TurnHead;
  account: TurnAccount;
  /** Actions of the conversation before this turn. */
  actions: readonly ActionView[];
  question: Question;
  /** `always`: the question is stored before the model is asked; `proposal`: only when a proposal is made. */
  storing: 'always' | 'proposal' | 'never';
  /** Where the question of a turn that continues is stored. */
  continued: StoredTurn | null;
  /** What a turn that continues has answered so far. */
  answered: Content | null;
  /** The client asked for JSON: a card in the text would break it. */
  isFormed: boolean;
  /** The question, its attachments and what the client has done since, as messages of the model request. */
  asked: readonly ModelMessage[];
  /** Of these, what came after the question. */
  returned: readonly ModelMessage[];
  /** Actions that have ended since the turn before. */
  ended: readonly ActionView[];
};

/**
 * Prepares a turn in eight steps: `locate`, `gather` and `choose` (gather.ts); `closePast`, `replayBoth`, `ask` and `compose`
 * (compose.ts); `accounted`. Throws when it cannot begin. `begun` is called as soon as the
 * model is known and can take the request: what is prepared after that is no reason to refuse the turn.
 */
export async function prepare(
  app: App,
  caller: Limited,
  request: ChatRequest,
  begun: (head: TurnHead) => void,
): Promise<Turn> {
  const asker: Asker = { app, caller, request };
  const since = app.clock.now();
  const located = await locate(asker);
  const gathered = await gather(asker, located);
  const chosen = await choose(asker, gathered);
  const { isAuxiliary, store, format } = request;
  const storing = isAuxiliary ? 'never' : located.hasPast || store ? 'always' : 'proposal';
  const head = headOf(app, located, chosen, storing === 'always');
  begun(head);
  await closePast(asker, located, gathered, chosen);
  const replayed = await replayBoth(asker, located, chosen);
  const asked = await ask(asker, located, gathered, chosen, replayed);
  const messages = compose(asker, located, gathered, chosen, replayed, asked);
  const { past, attachments, preferred } = gathered;
  const { conversationId, branch, continued, waiting } = located;
  return {
    ...accounted(asker, head, gathered, chosen, messages),
    head,
    actions: past.actions,
    question: {
      conversationId,
      model: head.model,
      ext: preferred,
      text: asked.text,
      attachments,
      since,
      branch,
      turnId: head.id,
    },
    storing,
    continued,
    answered: waiting?.told ?? null,
    isFormed: format !== undefined,
    asked: asked.messages,
    returned: asked.steps,
    ended: chosen.hasTools ? endedIn(past) : [],
  };
}

const headOf = (
  app: App,
  { conversationId }: Located,
  { model }: Chosen,
  isStored: boolean,
): TurnHead => ({
  id: `chatcmpl-${randomBytes(12).toString('hex')}`,
  created: Math.floor(app.clock.now() / 1000),
  model: model.name,
  provider: model.providerName,
  conversationId,
  isStored,
});

/** Step 8: the account of the turn, and how its model is asked within it. */
function accounted(
  { app, caller, request }: Asker,
  { id: turnId, conversationId }: TurnHead,
  { budgets, ext }: Gathered,
  { model, candidates, offer }: Chosen,
  messages: ModelMessage[],
): Pick<Turn, 'account' | 'options'> {
  const { format, sampling } = request;
  const { tools, clientTools } = offer;
  const account = openAccount(app, caller, {
    turnId,
    conversationId,
    endUser: request.user ?? '',
    isBudgeted: budgets.length > 0,
    maxTokens: ext.maxTokens ?? model.maxTokens,
    prices: candidates.map(({ price }) => price),
    request: { messages, tools: [...listed(tools), ...clientTools] },
  });
  const asking = openAsking(app, caller, candidates, {
    wantsReasoning: ext.reasoningEnabled ?? false,
    wanted: wantedOptions({ ...sampling, ...offer.options }, ext),
    beforeLater: account.holdMore,
  });
  const temperature = ext.temperature ?? model.temperature;
  const maxTokens = account.limit ?? ext.maxTokens;
  return {
    account,
    options: {
      asking,
      tools,
      clientTools,
      handle: newHandle(),
      conversationId,
      messages,
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      options: { ...sampling, ...offer.options, ...(format ? { format } : {}) },
    },
  };
}

/** The actions that end with their first receipts in this turn. */
const endedIn = ({ untold, actions }: Past): ActionView[] =>
  actions.filter(({ actionId }) => untold.some((each) => each.actionId === actionId));
