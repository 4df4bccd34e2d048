import { fileURLToPath } from 'node:url';

import { sampled } from './sampling.ts';

const WIDTH = 640;
const HEIGHT = 240;
const LEFT = 64;
const RIGHT = 12;
const TOP = 14;
const BOTTOM = 26;
const TIME_MARKS = 5;
const COLORS = ['#1769aa', '#c2410c', '#15803d', '#7e22ce', '#b91c1c'];
/** Noise does not compress: a line of noise is drawn with fewer values. */
const MAX_BYTES = 25_000;
/** Of a line: two for each of its pixels, at first. */
const MAX_VALUES = 1_100;
const FEWEST_VALUES = 3;
const FONT = 'PT Sans Caption';

/** A stored value, a number or a text, and its time (ms). */
export type Sample = { time: number; value: number | string };

/** Values in order of time (ms), numbers only; `gapMs`: distance beyond which the line breaks. */
export type Line = { samples: readonly Sample[]; gapMs: number };
/** `unit` is of all lines, empty where they differ; `zone`: IANA name. */
export type Plot = { lines: readonly Line[]; from: number; to: number; unit: string; zone: string };

/** A PNG of 640 × 240; the same bytes for the same plot. The rasterizer is loaded at its first use. */
export async function plotPng(plot: Plot): Promise<Buffer> {
  const { Resvg } = await import('@resvg/resvg-js');
  const font = { loadSystemFonts: false, fontFiles: [fontFile()], defaultFontFamily: FONT };
  for (let max = MAX_VALUES; ; max /= 2) {
    const lines = plot.lines.map((line) => thinned(line, max, plot));
    const png = new Resvg(plotSvg({ ...plot, lines }), { font }).render().asPng();
    if (png.length <= MAX_BYTES || max <= FEWEST_VALUES) return png;
  }
}

/** A line of fewer values, its extremes among them; it breaks where more than two of their places are empty. */
function thinned({ samples, gapMs }: Line, max: number, { from, to }: Plot): Line {
  const times = Float64Array.from(samples, ({ time }) => time);
  const values = Float64Array.from(samples, ({ value }) => Number(value));
  const distance = (4 * (to - from)) / max;
  return { samples: sampled({ times, values }, max), gapMs: Math.max(gapMs, distance) };
}

const fontFile = (): string =>
  fileURLToPath(
    import.meta.resolve('@expo-google-fonts/pt-sans-caption/PTSansCaption_400Regular.ttf'),
  );

/** Lines between the lowest and the highest value, with both on the axis; times in the zone of the plant. */
export function plotSvg({ lines, from, to, unit, zone }: Plot): string {
  const values = lines.flatMap(({ samples }) => samples.map(({ value }) => Number(value)));
  const low = values.length > 0 ? Math.min(...values) : 0;
  const high = values.length > 0 ? Math.max(...values) : 0;
  const x = (time: number): number =>
    Math.round(LEFT + ((time - from) / (to - from)) * (WIDTH - LEFT - RIGHT));
  const y = (value: number): number => {
    const share = high > low ? (value - low) / (high - low) : 0.5;
    return Math.round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM));
  };
  const label = (at: number, line: number, text: string, anchor: string): string =>
    `<text x="${at}" y="${line}" font-size="11" fill="#333" text-anchor="${anchor}">${escaped(text)}</text>`;
  const shown = (value: number): string => `${Number(value.toPrecision(6))} ${unit}`.trim();
  const marks = Array.from({ length: TIME_MARKS }, (_, index) => {
    const time = from + ((to - from) * index) / (TIME_MARKS - 1);
    const anchor = index === 0 ? 'start' : index === TIME_MARKS - 1 ? 'end' : 'middle';
    return label(x(time), HEIGHT - 8, clockText(time, to - from, zone), anchor);
  });
  const frame = `<path d="M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}" fill="none" stroke="#999"/>`;
  const drawn = lines.map(
    (line, index) =>
      `<path d="${pathOf(line, x, y)}" fill="none" stroke="${COLORS[index % COLORS.length]}" stroke-linecap="round"/>`,
  );
  const axis = [label(LEFT - 4, y(high) + 4, shown(high), 'end')];
  if (high > low) axis.push(label(LEFT - 4, y(low) + 4, shown(low), 'end'));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="${FONT}">
<rect width="100%" height="100%" fill="#fff"/><g shape-rendering="crispEdges">${frame}${drawn.join('')}</g>
${axis.join('')}${marks.join('')}</svg>`;
}

function pathOf(
  { samples, gapMs }: Line,
  x: (time: number) => number,
  y: (value: number) => number,
) {
  let before = -Infinity;
  const steps = samples.map(({ time, value }) => {
    const step = `${time - before > gapMs ? 'M' : 'L'}${x(time)} ${y(Number(value))}`;
    // A value alone is a dot.
    const isAlone = time - before > gapMs;
    before = time;
    return isAlone ? `${step}h1` : step;
  });
  return steps.join('');
}

const DAY_MS = 86_400_000;

const clockText = (time: number, spanMs: number, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    ...(spanMs > DAY_MS && { month: '2-digit', day: '2-digit' }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(time);

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
