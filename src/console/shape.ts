/** Colour of a state, always beside a shape and a word that say the same. */
export type Tone = 'danger' | 'warning' | 'good' | 'info' | 'idle';

/** Paths in a square of 12. */
export const SHAPES = {
  triangle: 'M6 1 11.5 11H.5Z',
  diamond: 'M6 .5 11.5 6 6 11.5.5 6Z',
  square: 'M1.5 1.5h9v9h-9Z',
  disc: 'M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1Z',
  ring: 'M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1Zm0 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6Z',
  half: 'M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1Zm0 2v6a3 3 0 1 1 0-6Z',
  check: 'M1 6.5 2.6 4.9 4.8 7.1 9.7 2.2 11.3 3.8 4.8 10.3Z',
  cross: 'M2.4 1 6 4.6 9.6 1 11 2.4 7.4 6 11 9.6 9.6 11 6 7.4 2.4 11 1 9.6 4.6 6 1 2.4Z',
  bar: 'M1 5h10v2H1Z',
} as const;
export type Shape = keyof typeof SHAPES;
