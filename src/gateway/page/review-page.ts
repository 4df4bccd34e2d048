import type { ShownWrite } from '../../agentic/action/card/card.ts';
import { notesOf, sourceOf } from '../../agentic/action/card/notes.ts';
import type { ActionView } from '../../agentic/action/view.ts';
import { html, type Markup, page } from '../../auth/oauth/page/page.ts';
import { amount, byName, quoted } from '../../core/sentence/voice.ts';

/** Seconds between reloads while something can still change. */
const RELOAD_S = 5;
const MOVING = ['PENDING', 'PARTIALLY_CONFIRMED', 'CONFIRMED'];

/** A proposal for the person that may decide it elsewhere: its card, its notes and what is known of its outcome. */
export function reviewPage(view: ActionView, base: string): string {
  const head = MOVING.includes(view.status)
    ? html`<meta http-equiv="refresh" content="${RELOAD_S}" />`
    : html``;
  return page(
    titles[view.status],
    html`<p>${view.say}</p>
      <dl>
        ${rowsOf(view).map(
          ([term, text]) =>
            html`<dt>${term}</dt>
              <dd>${text}</dd>`,
        )}
      </dl>
      ${notes(view)} ${where(view, base)}`,
    head,
  );
}

const titles: Record<ActionView['status'], string> = {
  PENDING: 'It waits for a decision',
  PARTIALLY_CONFIRMED: 'It waits for a second decision',
  CONFIRMED: 'Confirmed, under way',
  REJECTED: 'Rejected',
  EXECUTED: 'Done',
  FAILED: 'Not done',
  EXPIRED: 'Expired',
  WITHDRAWN: 'Withdrawn',
  UNKNOWN: 'Not known whether it happened',
  MISMATCH: 'The device holds another value',
};

type Row = [term: string, text: string];
const row = (term: string, text: string): Row => [term, text];

function rowsOf(view: ActionView): Row[] {
  const { reason, steps } = view;
  return [
    ...(steps.length === 0 ? rowsOfWrite(view) : steps.flatMap(rowsOfStep)),
    ['Proposed by', quoted(view.proposerName, 64)],
    ...(reason === '' ? [] : [row('Reason, in the words of the agent', quoted(reason, 200))]),
    ...view.tainted.map((read) => row('Read before', sourceOf(read, byName))),
    ['Expires', view.expiresAt],
    ['Status', view.status],
    ['Digest', view.digest],
  ];
}

function rowsOfWrite(write: ShownWrite): Row[] {
  const { unit, currentValue, limits } = write;
  const shown = (value: string) => amount(value, unit, byName);
  return [
    ['Device', `${quoted(write.deviceName, 64)} (${write.deviceStatus})`],
    ['Point', quoted(write.pointName, 64)],
    ['Now', currentValue === null ? 'not known' : `${shown(currentValue)}, ${write.currentAge}`],
    ['Proposed', shown(write.proposedValue)],
    ['Limits', `${limits.min ?? 'none'} to ${limits.max ?? 'none'}`],
  ];
}

const rowsOfStep = (step: ActionView['steps'][number], index: number): Row[] => [
  ...rowsOfWrite(step).map(([term, text]) => row(`${index + 1}. ${term}`, text)),
  [`${index + 1}. Status`, `${step.status}: ${step.say}`],
];

function notes(view: ActionView): Markup {
  const texts = view.pendingConfirmation ? notesOf(view, byName) : [];
  return html`${texts.map((text) => html`<p class="warn">${text}</p>`)}`;
}

function where({ pendingConfirmation, actionId }: ActionView, base: string): Markup {
  if (!pendingConfirmation) return html``;
  return html`<p class="note">
    Nothing is decided here. A person with an interactive login decides over the API: POST
    ${base}/api/v3/agentic/action/confirm or /action/reject with action_id ${actionId} and the
    digest.
  </p>`;
}
