import type { ShownEvent } from '../completion.ts';

type Unnumbered<E> = E extends unknown ? Omit<E, 'v' | 'seq'> : never;
export type Happened = Unnumbered<ShownEvent>;

/** Extension events (x_svc version 1), numbered in order. */
export function numbered() {
  let seq = 0;
  return (event: Happened): ShownEvent => {
    seq += 1;
    return { v: 1, seq, ...event };
  };
}
