import { type Shape, SHAPES, type Tone } from '../../../shape.ts';

export const Mark = ({ shape }: { shape: Shape }) => (
  <svg class="mark" viewBox="0 0 12 12" aria-hidden="true">
    <path d={SHAPES[shape]} fill-rule="evenodd" />
  </svg>
);

export type State = { tone: Tone; shape: Shape; word: string };

/** A state: colour, shape and word say the same. */
export const Chip = ({ tone, shape, word }: State) => (
  <span class={`chip ${tone}`}>
    <Mark shape={shape} />
    {word}
  </span>
);
