import type { LabelsOf, OfKind } from './figures.ts';

/** A value of a gauge. */
type Sample<N extends OfKind<'gauge'>> = { labels: LabelsOf<N>; value: number };

/** The figures of this process; each part adds to its own. */
export type Metrics = {
  /** Adds to a counter, 1 without `by`. */
  add<N extends OfKind<'counter'>>(name: N, labels: LabelsOf<N>, by?: number): void;
  /** A duration in milliseconds; it is answered in seconds. */
  took<N extends OfKind<'duration'>>(name: N, labels: LabelsOf<N>, ms: number): void;
  /** Asks `read` at each scrape, for 2 s at most; without an answer the figure is absent. Several add up in one answer. */
  gauge<N extends OfKind<'gauge'>>(
    name: N,
    read: () => readonly Sample<N>[] | Promise<readonly Sample<N>[]>,
  ): void;
};

/** Where nobody reads figures. */
export const noMetrics: Metrics = { add() {}, took() {}, gauge() {} };
