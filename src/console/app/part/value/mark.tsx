import type { ComponentChildren } from 'preact';

import { type Shape, SHAPES, type Tone } from '../../../shape.ts';
import { partWords } from '../../word/part.ts';

export const Mark = ({ shape }: { shape: Shape }) => (
  <svg class="mark" viewBox="0 0 12 12" aria-hidden="true">
    <path d={SHAPES[shape]} fill-rule="evenodd" />
  </svg>
);

type NoteGiven = {
  tone: Tone;
  shape: Shape;
  role?: 'alert' | 'status';
  children: ComponentChildren;
};

export const Note = ({ tone, shape, role, children }: NoteGiven) => (
  <p class={`note ${tone}`} role={role}>
    <Mark shape={shape} />
    <span>{children}</span>
  </p>
);

export type State = { tone: Tone; shape: Shape; word: string };

/** A state: colour, shape and word say the same. */
export const Chip = ({ tone, shape, word }: State) => (
  <span class={`chip ${tone}`}>
    <Mark shape={shape} />
    {word}
  </span>
);

type DisabledGiven = {
  of: { enableFlag: 'ENABLE' | 'DISABLE' } | null;
  /** What it says; "disabled" where nothing else is given. */
  word?: string;
};

/** The mark of what is disabled; nothing for what is not. */
export const Disabled = ({ of, word = partWords().disabled }: DisabledGiven) =>
  of?.enableFlag === 'DISABLE' ? <Chip tone="idle" shape="bar" word={word} /> : null;
