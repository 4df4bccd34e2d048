import { type Shape, SHAPES, type Tone } from '../../shape.ts';
import { el, svg } from './element.ts';

const mark = (shape: Shape): SVGElement =>
  svg(
    'svg',
    { class: 'mark', viewBox: '0 0 12 12', 'aria-hidden': 'true' },
    svg('path', { d: SHAPES[shape], 'fill-rule': 'evenodd' }),
  );

export type State = { tone: Tone; shape: Shape; word: string };

export const chip = ({ tone, shape, word }: State): HTMLElement =>
  el('span', `chip ${tone}`, mark(shape), word);

/** One line of what was found or has to be watched. */
export const note = (tone: Tone, shape: Shape, ...words: (Node | string)[]): HTMLElement =>
  el('p', `note ${tone}`, mark(shape), el('span', '', ...words));
