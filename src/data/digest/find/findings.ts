import { type Bins, binned } from './bins.ts';
import { type Change, changesIn } from './changes.ts';
import { type FlatLine, flatLinesIn } from './flat-lines.ts';
import { type Series, without } from './series.ts';
import { type Spike, spikesIn } from './spikes.ts';

export type Findings = { spikes: Spike[]; flats: FlatLine[]; changes: Change[] };

/**
 * What an operator would point at in a series with the bins `whole`; `pauseMs` is the longest distance of values that is no gap, `decimal`
 * the smallest difference that the point shows.
 */
export function findingsIn(
  series: Series,
  whole: Bins | null,
  pauseMs: number,
  decimal: number,
): Findings {
  const binsOf = (one: Series): Bins | null => (one === series ? whole : binned(one, pauseMs));
  const flats = flatLinesIn(series, pauseMs);
  const moving = without(series, flats);
  const usual = binsOf(moving);
  const excursions = usual ? spikesIn(moving, usual, decimal) : [];
  const calm = without(series, [...excursions, ...flats]);
  const levels = binsOf(calm);
  const changes = levels ? changesIn(calm, levels, decimal) : [];
  // What leads over an edge is part of the step, as long as the usual level before and after it was not clear.
  const edges = changes.filter(({ kind }) => kind === 'step').map(({ time }) => time);
  const edgeMs = spanOf(series) / EDGE;
  const spikes = excursions.filter(
    ({ from, to }) => !edges.some((edge) => edge > from - edgeMs && edge < to + edgeMs),
  );
  return { spikes, flats, changes };
}

/** Share of the series, as a divisor, that belongs to the edge of a step. */
const EDGE = 80;

const spanOf = ({ times }: Series): number => (times.at(-1) ?? 0) - (times[0] ?? 0);
