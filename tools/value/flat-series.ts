import { z } from 'zod';

import type { Digest } from '../../src/data/digest/digest.ts';
import type { NamedPair } from '../../src/data/value/pair.ts';
import { inZone } from '../../src/kernel/sentence/time-zone.ts';
import { Reported } from '../shape/text.ts';
import { Series, seriesOf } from './series.ts';

const Sample = z.object({ time: z.string(), value: z.coerce.string().pipe(Reported(64)) });
const Last = Sample.extend({ ageS: z.number().optional(), stale: z.boolean().optional() });

/** A single series under the keys of before: they are there also when they are empty, and their values are texts. */
const FlatSeries = Series.extend({
  first: Sample.nullable().default(null),
  last: Last.nullable(),
  min: z.number().nullable().default(null),
  max: z.number().nullable().default(null),
  mean: z.number().nullable().default(null),
  samples: z.array(Sample).default([]),
});

/** Its fields beside those of several; each is there or not. */
export const FlatFields = Series.partial().extend({
  first: Sample.nullish(),
  last: Last.nullish(),
  min: z.number().nullish(),
  max: z.number().nullish(),
  mean: z.number().nullish(),
  samples: z.array(Sample).optional(),
}).shape;

/** Cleaned and cut as `Series`. */
export function flatOf(digest: NamedPair & Digest, zone: string, spanMs: number) {
  const series = seriesOf(digest, zone, spanMs);
  const last = digest.last && { ...series.last, time: inZone(digest.last.time, zone) };
  return FlatSeries.parse({ ...series, last });
}
