import { el, facts, quoted } from '../draw/element.ts';
import { chip, note, type State } from '../draw/state.ts';
import { amount, ago, place, sinceElement } from '../draw/words.ts';
import { type Fields, fieldsOf, listOf, numberOf, textOf } from '../host/fields.ts';
import { isWaiting, stepsOf } from './status.ts';

const DEVICES: Record<string, State> = {
  ONLINE: { tone: 'good', shape: 'disc', word: 'online' },
  OFFLINE: { tone: 'warning', shape: 'ring', word: 'offline' },
};

export const deviceState = (status: string): State =>
  DEVICES[status] ?? { tone: 'idle', shape: 'square', word: status };

/** The device and point of a proposal. */
export const target = (proposal: Fields): HTMLElement =>
  el('h1', '', 'Write to ', ...place(proposal));

/** From what the point has to what it would get. */
export function change(proposal: Fields, size = 'large'): HTMLElement {
  const unit = textOf(proposal, 'unit');
  const before = textOf(proposal, 'currentValue');
  return el(
    'div',
    `change ${size}`,
    before === '' ? null : el('span', 'before', amount(before, unit)),
    before === '' ? null : el('span', 'before', '→'),
    amount(textOf(proposal, 'proposedValue'), unit),
  );
}

export const steps = (status: string): HTMLElement =>
  el(
    'ol',
    'steps',
    ...stepsOf(status).map(({ word, course }) => {
      const step = el('li', course, word);
      if (course === 'present' || course === 'stopped') step.setAttribute('aria-current', 'step');
      return step;
    }),
  );

export function cardFacts(proposal: Fields, status: string): HTMLElement {
  const device = textOf(proposal, 'deviceStatus');
  const age = numberOf(proposal, 'currentAgeS');
  const limits = fieldsOf(proposal['limits']);
  const offline = textOf(proposal, 'offlineSince');
  return facts([
    ['Device', device === '' ? null : chip(deviceState(device))],
    ['Offline since', offline === '' ? null : sinceElement(offline)],
    ['Value read', age === null ? null : ago(age)],
    ['Limits', limitsOf(limits)],
    ['Decide until', isWaiting(status) ? clock(textOf(proposal, 'expiresAt')) : null],
  ]);
}

function limitsOf(limits: Fields): string | null {
  const min = numberOf(limits, 'min');
  const max = numberOf(limits, 'max');
  if (min === null && max === null) return null;
  if (min === null) return `at most ${max}`;
  return max === null ? `at least ${min}` : `${min} to ${max}`;
}

/** A moment of the next minutes, by the clock of the person. */
function clock(iso: string): string | null {
  const at = new Date(iso);
  return Number.isNaN(at.getTime())
    ? null
    : at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}

/** What a person should have seen before deciding. */
export function cautions(proposal: Fields): HTMLElement[] {
  const unit = textOf(proposal, 'unit');
  const rejected = fieldsOf(proposal['rejectedBefore']);
  const why = textOf(rejected, 'why');
  return [
    ...(proposal['tainted'] === true
      ? [note('warning', 'diamond', 'The agent had read free text that could instruct it.')]
      : []),
    ...(proposal['noChange'] === true
      ? [note('info', 'bar', 'The point has this value already.')]
      : []),
    ...(proposal['repeated'] === true
      ? [note('info', 'bar', 'The same proposal was made before; this is it.')]
      : []),
    ...listOf(proposal['conflicts']).map((other) =>
      note(
        'warning',
        'diamond',
        OTHERS[textOf(other, 'kind')] ?? 'Another write to this point: ',
        amount(textOf(other, 'value'), unit),
      ),
    ),
    ...(textOf(rejected, 'at') === ''
      ? []
      : [
          note(
            'warning',
            'cross',
            'The same was rejected ',
            sinceElement(textOf(rejected, 'at')),
            ' by ',
            quoted(textOf(rejected, 'by')),
            ...(why === '' ? [] : [': ', quoted(why)]),
          ),
        ]),
  ];
}

const OTHERS: Record<string, string> = {
  PROPOSED: 'Another proposal for this point waits: ',
  UNDER_WAY: 'A write to this point is under way: ',
  UNKNOWN: 'It is not known whether an earlier write happened: ',
};

/** What is proved about the write, of a receipt. */
export function receiptFacts(receipt: Fields, unit: string): HTMLElement | null {
  if (textOf(receipt, 'commandId') === '') return null;
  const back = textOf(receipt, 'readBackValue');
  return facts([
    ['Command', textOf(receipt, 'status').toLowerCase()],
    ['Check', textOf(receipt, 'verification').toLowerCase()],
    ['Read back', back === '' ? null : amount(back, unit)],
    ['Error', textOf(receipt, 'errorCode')],
  ]);
}
