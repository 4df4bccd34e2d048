import { Quality } from '../../bus/topic/topics.ts';
import type { Columns } from '../history/columns.ts';
import type { State } from './states.ts';
import { MAX_VALUES, PARTS, type Span } from './stored.ts';
import { partReadings, type Readings, seriesReadings } from './wire.ts';

/** The same of values that were read in columns as `readingsOf` makes of hot rows. */
export function readingsIn(columns: Columns, span: Span): Readings {
  const { at, numbers, qualities } = columns;
  if (at.length > MAX_VALUES) return partReadings(partsIn(columns, span));
  const quality = { count: at.length, uncertain: 0, bad: 0 };
  for (const each of qualities) {
    if (each === Quality.UNCERTAIN) quality.uncertain += 1;
    if (each === Quality.BAD) quality.bad += 1;
  }
  return {
    ...seriesReadings(
      at.map((micros) => Math.floor(micros / 1_000)),
      numbers.slice(),
    ),
    quality,
  };
}

/** Of each part of the time its twelve numbers, as `partReadings` reads them. */
function partsIn({ at, numbers, qualities }: Columns, { from, to }: Span): Float64Array {
  const partMs = (to - from) / PARTS;
  const fields: number[] = [];
  let before: number | null = null;
  for (let index = 0; index < at.length;) {
    const place = Math.floor(((at[index] ?? NaN) / 1_000 - from) / partMs);
    const part = new Part((at[index] ?? NaN) / 1_000);
    for (; index < at.length; index += 1) {
      const ms = (at[index] ?? NaN) / 1_000;
      if (Math.floor((ms - from) / partMs) !== place) break;
      part.add({ ms, before, number: numbers[index] ?? NaN, quality: qualities[index] ?? 0 });
      before = ms;
    }
    fields.push(...part.fields());
  }
  return Float64Array.from(fields);
}

type Value = { ms: number; before: number | null; number: number; quality: number };

class Part {
  readonly #first: number;
  #last: number;
  #count = 0;
  #uncertain = 0;
  #bad = 0;
  #numbers = 0;
  #sum = 0;
  #low = [NaN, NaN];
  #high = [NaN, NaN];
  #pause = [0, 0];

  constructor(first: number) {
    this.#first = first;
    this.#last = first;
  }

  add({ ms, before, number, quality }: Value): void {
    this.#count += 1;
    this.#last = ms;
    if (quality === Quality.UNCERTAIN) this.#uncertain += 1;
    if (quality === Quality.BAD) this.#bad += 1;
    // Of equal ones the later.
    if (before !== null && ms - before >= (this.#pause[0] ?? 0))
      this.#pause = [ms - before, before];
    if (Number.isNaN(number)) return;
    this.#numbers += 1;
    this.#sum += number;
    if (this.#numbers === 1 || number < (this.#low[0] ?? NaN)) this.#low = [number, ms];
    if (this.#numbers === 1 || number >= (this.#high[0] ?? NaN)) this.#high = [number, ms];
  }

  fields(): number[] {
    const mean = this.#numbers === 0 ? NaN : this.#sum / this.#numbers;
    const counts = [this.#count, this.#uncertain, this.#bad];
    return [...counts, this.#first, this.#last, mean, ...this.#low, ...this.#high, ...this.#pause];
  }
}

/** The changes of texts, at most `most`. */
export function statesIn({ at, texts }: Columns, most: number): State[] {
  const states: State[] = [];
  for (const [index, value] of texts.entries()) {
    if (index > 0 && value === texts[index - 1]) continue;
    if (states.length === most) break;
    states.push({ time: Math.floor((at[index] ?? NaN) / 1_000), value });
  }
  return states;
}
