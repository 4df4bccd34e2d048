import { el } from '../draw/element.ts';
import { chip, type State } from '../draw/state.ts';
import { place } from '../draw/words.ts';
import { type Fields, textOf } from '../host/fields.ts';
import { cautions, change, deviceState } from './card.ts';
import { stateOf } from './status.ts';

/** One of several writes before and beside what becomes of any proposal. */
const STEPS: Record<string, State> = {
  WAITING: { tone: 'idle', shape: 'ring', word: 'waits for those before' },
  UNDERWAY: { tone: 'info', shape: 'half', word: 'under way' },
  NOT_SENT: { tone: 'idle', shape: 'bar', word: 'not sent' },
};

/** Several writes as one, in their order, each with what is known of it. */
export const writeList = (
  writes: readonly Fields[],
  latest: readonly Fields[],
  isOpen: boolean,
): HTMLElement =>
  el(
    'ol',
    'list',
    ...writes.map((write, index) => {
      const status = textOf({ ...write, ...latest[index] }, 'status');
      const device = textOf(write, 'deviceStatus');
      return el(
        'li',
        '',
        el(
          'div',
          'head',
          el('h2', '', ...place(write)),
          device === 'ONLINE' || device === '' ? null : chip(deviceState(device)),
          status === '' ? null : chip(STEPS[status] ?? stateOf(status)),
        ),
        change(write, 'latest'),
        ...(isOpen ? cautions(write) : []),
      );
    }),
  );
