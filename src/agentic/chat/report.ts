import type { Limited } from '../../auth/connection/denial.ts';
import type { App } from '../../kernel/app/app.ts';
import { isLinkable } from '../../kernel/request/loopback.ts';
import { inZone, sentenceInZone } from '../../kernel/sentence/time-zone.ts';
import { markdownOf, reviewUrl } from '../action/card/words/markdown.ts';
import { presentText } from '../action/receipt-text.ts';
import type { ActionView } from '../action/view.ts';
import { citationsIn } from '../session/citation.ts';
import { type Facts, factsLine } from '../session/facts.ts';
import { factsOf, offersProposals } from './answer/known.ts';
import type { ChatSink } from './answer/sink.ts';
import { actionsById } from './turn/history.ts';
import type { Turn } from './turn/prepare.ts';
import type { TurnRecord } from './turn/record.ts';

/** A turn while it runs into its sink. */
export type Run = {
  app: App;
  caller: Limited;
  turn: Turn;
  sink: ChatSink;
  signal: AbortSignal;
  record: TurnRecord;
};

/** Sends the values behind the figures of the text. */
export async function cite({ app, sink, record }: Run): Promise<void> {
  const citations = citationsIn(record.content.text, record.sources, app.config.baseUrl);
  if (citations.length === 0) return;
  record.content.citations = citations;
  await sink.cite?.(citations);
}

/** Sends what became of the proposed actions, worded by the server and not by the model; the cards of those that wait. */
export async function reportActions(run: Run): Promise<void> {
  const { app, caller, turn, sink, signal, record } = run;
  record.hasReported = true;
  const { isFormed } = turn;
  const { proposed, decided, content } = record;
  const all = await actionsById(app, caller, [...proposed, ...decided]);
  const cards = all.filter(({ pendingConfirmation }) => pendingConfirmation);
  record.isPending = cards.length > 0;
  for (const action of all)
    if (!signal.aborted && action.status !== 'PENDING') await sink.decided?.(action);
  // A client stores the text, and displays it when more is known.
  const zone = caller.timezone;
  const at = inZone(app.clock.now(), zone);
  const ended = all.filter((one) => !cards.includes(one)).map(presentText);
  const lines = ended.map((line) => `\n\n> At ${at}: ${sentenceInZone(line, zone)}\n`).join('');
  const block = cards
    .map((card) => markdownOf(card, { base: app.config.baseUrl, at, zone }))
    .join('');
  content.text += lines + block;
  content.facts = factsOf({ proposed: all, earlier: turn.actions, read: record.values });
  if (signal.aborted) return;
  // A client that draws cards leaves out the text from the first one on.
  if (lines && !isFormed) await sink.text(lines);
  for (const card of cards) await sink.pending(card);
  if (block && !isFormed) await sink.text(block);
  await tellFacts(run, content.facts, all);
}

/** Sends what the platform knows, and in a text that may be about writes as its last line; JSON stays JSON. */
async function tellFacts(
  { app, turn, sink, record }: Run,
  facts: Facts,
  proposed: readonly ActionView[],
): Promise<void> {
  const isSaid =
    !turn.isFormed && record.clientCalls.length === 0 && offersProposals(turn.options.tools);
  await sink.facts?.(facts, isSaid ? factsLine(facts, pageOf(app, proposed)) : '');
}

/** Where a person finds what was proposed: the one proposal, or the list; null where a link would lead nowhere. */
function pageOf(
  { config: { baseUrl } }: App,
  [first, ...others]: readonly ActionView[],
): string | null {
  if (first === undefined || !isLinkable(baseUrl)) return null;
  return others.length === 0 ? reviewUrl(baseUrl, first.actionId) : `${baseUrl}/console/proposals`;
}
