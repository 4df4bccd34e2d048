import { z } from 'zod';

import { namedPages, type PageSource, pagesIn } from './cited-page.ts';

/** Values of one tool call that figures can come from, and figures of one answer that are cited. */
const MAX_SOURCES = 500;
const MAX_CITATIONS = 50;
/** Of an answer, those that are compared; of its sources, the latest. */
const MAX_FIGURES = 200;
const MAX_COMPARED = 2_000;

/** What a tool returned that an answer can cite. */
export type Source = ValueSource | PageSource;

/** A value: of which point and device, and of when. */
type ValueSource = {
  value: number;
  unit: string;
  /** ISO 8601; null: the tool says none. */
  time: string | null;
  deviceId: string | null;
  deviceName: string;
  pointId: string | null;
  pointName: string;
};

/** A figure in the text of an answer and the value that it shows, or a page of a manual. Indexes are UTF-16 code units of the text. */
export const Citation = z.object({
  ref: z.number().int().describe('Numbered in the order of the text'),
  kind: z.enum(['point', 'page']).describe('Of a page, label names its manual'),
  start: z.number().int(),
  end: z.number().int(),
  label: z.string().meta({ examples: ['Temperature · Boiler 2'] }),
  value: z.number().describe('The value, or the number of the page'),
  unit: z.string().meta({ examples: ['°C'] }),
  as_of: z.string().nullable().describe('When the value was measured; null: not said by the tool'),
  device_id: z.string().nullable(),
  device_name: z.string(),
  point_id: z.string().nullable(),
  point_name: z.string(),
  manual_id: z.string().optional(),
  url: z.string().describe('Page of the device or the manual'),
});
export type Citation = z.output<typeof Citation>;

const Place = z.object({
  deviceId: z.string(),
  deviceName: z.string(),
  pointId: z.string(),
  pointName: z.string(),
  unit: z.string(),
});
const Latest = Place.extend({ value: z.unknown(), createTime: z.string().nullish() });
const At = z.object({ time: z.string(), value: z.unknown() });
const Series = Place.extend({
  first: At.optional(),
  last: z.object({ value: z.unknown(), ageS: z.number() }).optional(),
  min: z.number().optional(),
  minAt: z.string().optional(),
  max: z.number().optional(),
  maxAt: z.string().optional(),
  mean: z.number().optional(),
  samples: z.array(At).optional(),
});
const Table = z.object({ columns: z.array(z.string()), rows: z.array(z.array(z.unknown())) });

const agoOf = (now: number, ageS: number): string => new Date(now - ageS * 1000).toISOString();
const numberOf = (value: unknown): number | null => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
};

/** The values and pages in the result of a tool that ended at `now` (ms); none of a result of another form. */
export function sourcesIn(result: Record<string, unknown>, now: number): Source[] {
  const list = z.object({ series: z.array(z.unknown()) }).safeParse(result).data?.series ?? [
    result,
  ];
  const values = [...rowsIn(result, now), ...list.flatMap((each) => sourcesOf(each, now))];
  return [...values, ...pagesIn(result)].slice(0, MAX_SOURCES);
}

/** How many values of points a result shows: of a series its samples, or one where it has none. */
export function valuesIn(result: Record<string, unknown>): number {
  const { rows = [], columns = [] } = Table.safeParse(result).data ?? {};
  const at = columns.includes('ageS') ? columns.indexOf('value') : -1;
  const inRows = at === -1 ? 0 : rows.filter((row) => isThere(row[at])).length;
  const list = z.object({ series: z.array(z.unknown()) }).safeParse(result).data?.series;
  return (list ?? [result]).reduce<number>((sum, each) => sum + countIn(each), inRows);
}

const isThere = (value: unknown): boolean => value !== null && value !== undefined;

function countIn(given: unknown): number {
  const latest = Latest.safeParse(given).data;
  if (latest && isThere(latest.value)) return 1;
  const series = Series.safeParse(given).data;
  if (!series) return 0;
  const { first, last, mean, samples = [] } = series;
  return samples.length > 0 ? samples.length : Number(isThere(first ?? last ?? mean));
}

function sourcesOf(given: unknown, now: number): ValueSource[] {
  const latest = Latest.safeParse(given).data;
  const series = Series.safeParse(given).data;
  const place = latest ?? series;
  if (!place) return [];
  const { deviceId, deviceName, pointId, pointName, unit } = place;
  const values: (readonly [unknown, string | null])[] = [];
  // Read from the device just now: such an answer has no time of its own.
  if (latest) values.push([latest.value, latest.createTime ?? new Date(now).toISOString()]);
  if (series) {
    const { first, last, samples = [] } = series;
    for (const { value, time } of [...samples, ...(first ? [first] : [])])
      values.push([value, time]);
    values.push(
      [series.mean, null],
      [series.min, series.minAt ?? null],
      [series.max, series.maxAt ?? null],
    );
    if (last) values.push([last.value, agoOf(now, last.ageS)]);
  }
  return values.flatMap(([value, time]) => {
    const number = numberOf(value);
    return number === null
      ? []
      : [{ value: number, unit, time, deviceId, deviceName, pointId, pointName }];
  });
}

/** Of a table of latest values (searchPointValues), which names its columns. */
function rowsIn(result: Record<string, unknown>, now: number): ValueSource[] {
  const table = Table.safeParse(result).data;
  if (!table) return [];
  const at = (row: readonly unknown[], column: string): unknown =>
    row[table.columns.indexOf(column)];
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  return table.rows.flatMap((row) => {
    const value = numberOf(at(row, 'value'));
    const ageS = at(row, 'ageS');
    if (value === null || !table.columns.includes('ageS')) return [];
    return [
      {
        value,
        unit: textOf(at(row, 'unit')),
        time: typeof ageS === 'number' ? agoOf(now, ageS) : null,
        deviceId: null,
        deviceName: textOf(at(row, 'device')),
        pointId: null,
        pointName: textOf(at(row, 'point')),
      },
    ];
  });
}

/** A number that is no part of a word, date, time or longer number. */
const FIGURE = /(?<![\p{L}\p{N}_.,:/-])[-−]?\d+(?:[.,]\d+)?(?![\p{N}_:/]|[.,-]\d)/gu;

const isPage = (source: Source): source is PageSource => 'page' in source;
const isValue = (source: Source): source is ValueSource => !isPage(source);

/**
 * The figures of `text` that show one of these values, of equal values the one that was read last, and the pages of
 * manuals that it names, in the order of the text.
 */
export function citationsIn(text: string, sources: readonly Source[], base: string): Citation[] {
  if (sources.length === 0) return [];
  const pages = pageCitations(text, sources.filter(isPage), base);
  const values = sources.filter(isValue).slice(-MAX_COMPARED);
  const cited: Omit<Citation, 'ref'>[] = [...pages];
  for (const match of text.matchAll(FIGURE).take(MAX_FIGURES)) {
    const start = match.index;
    const end = start + match[0].length;
    // The number of a page is no value.
    if (pages.some((page) => page.start <= start && end <= page.end)) continue;
    const source = values.findLast((each) => shows(match[0], text.slice(end), each));
    if (!source) continue;
    const { value, unit, time, deviceId, deviceName, pointId, pointName } = source;
    cited.push({
      kind: 'point',
      start,
      end,
      label: `${pointName} · ${deviceName}`,
      value,
      unit,
      as_of: time,
      device_id: deviceId,
      device_name: deviceName,
      point_id: pointId,
      point_name: pointName,
      url: `${base}/console/devices${deviceId === null ? '' : `/${deviceId}`}`,
    });
  }
  return cited
    .toSorted((one, other) => one.start - other.start)
    .slice(0, MAX_CITATIONS)
    .map((citation, at) => ({ ref: at + 1, ...citation }));
}

const pageCitations = (text: string, sources: readonly PageSource[], base: string) =>
  namedPages(text, sources).map(
    ({ start, end, manualId, manualName, page }): Omit<Citation, 'ref'> => ({
      kind: 'page',
      start,
      end,
      label: manualName,
      value: page,
      unit: '',
      as_of: null,
      device_id: null,
      device_name: '',
      point_id: null,
      point_name: '',
      manual_id: manualId,
      url: `${base}/console/manuals/${manualId}?page=${page}`,
    }),
  );

/** Whether a figure is this value, rounded to as many places as the figure has. */
function shows(figure: string, after: string, { value, unit }: ValueSource): boolean {
  const plain = figure.replace('−', '-').replace(',', '.');
  // Cheap for those that are far off, which most are.
  if (Math.abs(value - Number(plain)) > 0.5) return false;
  const places = plain.split('.')[1]?.length ?? 0;
  if (Number(value.toFixed(Math.min(places, 20))) !== Number(plain)) return false;
  // A single digit is often a name or a count: then the unit has to follow.
  const isClear = plain.replace('-', '').length > 1;
  return isClear || (unit !== '' && after.trimStart().startsWith(unit));
}

const Cited = z.object({
  start_index: z.number().int(),
  end_index: z.number().int(),
  title: z.string(),
  url: z.string(),
});

const titleOf = ({ kind, label, value, unit, as_of }: Citation): string =>
  kind === 'page'
    ? `${label}, page ${value}`
    : `${label}: ${value}${unit === '' ? '' : ` ${unit}`}${as_of === null ? '' : `, ${as_of}`}`;

const citedOf = (citation: Citation) => ({
  start_index: citation.start,
  end_index: citation.end,
  title: titleOf(citation),
  url: citation.url,
});

/** In the words of OpenAI's chat completions. */
export const annotationOf = (citation: Citation) => ({
  type: 'url_citation' as const,
  url_citation: citedOf(citation),
});
export const Annotation = z.object({ type: z.literal('url_citation'), url_citation: Cited });

/** In the words of OpenAI's responses. */
export const flatAnnotationOf = (citation: Citation) => ({
  type: 'url_citation' as const,
  ...citedOf(citation),
});
export const FlatAnnotation = Cited.extend({ type: z.literal('url_citation') });
export type FlatAnnotation = z.output<typeof FlatAnnotation>;
