import { el, quoted } from '../draw/element.ts';
import { chip, type State } from '../draw/state.ts';
import { sinceElement } from '../draw/words.ts';
import { type Fields, listOf, numberOf, textOf } from '../host/fields.ts';

const STATES: Record<string, State> = {
  FIRING: { tone: 'danger', shape: 'triangle', word: 'firing' },
  RECOVERED: { tone: 'warning', shape: 'half', word: 'recovered' },
  CLOSED: { tone: 'idle', shape: 'check', word: 'closed' },
  REPORTED: { tone: 'info', shape: 'diamond', word: 'reported' },
};

/** One alarm of searchAlarms. */
export function alarmRow(alarm: Fields): HTMLElement {
  const state = textOf(alarm, 'state');
  const often = numberOf(alarm, 'occurrences') ?? 1;
  const known: State = STATES[state] ?? { tone: 'idle', shape: 'square', word: state };
  return el(
    'li',
    '',
    el(
      'div',
      'row',
      chip(known),
      el('strong', '', textOf(alarm, 'level')),
      el('span', 'quiet', sinceElement(textOf(alarm, 'since'))),
      often > 1 ? el('span', 'quiet tabular', `${often} times`) : null,
      decided(alarm),
    ),
    el('div', '', place(alarm)),
    el('div', 'quiet', ...reason(alarm)),
    told(alarm),
  );
}

function decided(alarm: Fields): HTMLElement {
  return alarm['confirmed'] === true
    ? el('span', 'quiet', 'confirmed')
    : el('span', '', 'not confirmed');
}

function place(alarm: Fields): HTMLElement {
  const names = ['device', 'point'].map((name) => textOf(alarm, name)).filter((name) => name);
  const [device = 'The plant', point] = names;
  return el('strong', '', quoted(device), ...(point ? [' · ', quoted(point)] : []));
}

function reason(alarm: Fields): Node[] {
  const parts = ['rule', 'condition', 'value', 'message']
    .map((name) => textOf(alarm, name))
    .filter((text) => text !== '');
  return parts.flatMap((text, index) =>
    index === 0 ? [quoted(text)] : [document.createTextNode(' · '), quoted(text)],
  );
}

/** Receivers in words: the channel, and why it failed if it did. */
function told(alarm: Fields): HTMLElement | null {
  const receivers = listOf(alarm['notified']);
  if (receivers.length === 0) return null;
  return el(
    'div',
    'small',
    'Notified: ',
    ...receivers.flatMap((one, index) => [
      ...(index > 0 ? [', '] : []),
      quoted(textOf(one, 'channel')),
      one['ok'] === true ? ' received it' : ' did not: ',
      ...(one['ok'] === true ? [] : [quoted(textOf(one, 'why') || 'no reason given')]),
    ]),
  );
}
