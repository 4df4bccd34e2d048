import { el, svg } from '../draw/element.ts';
import { amount, clockTime } from '../draw/words.ts';
import { numberOf, textOf } from '../host/fields.ts';
import { roundTicks, type Scale, scale, timeTicks } from './scale.ts';
import type { Point, Series, Window } from './series.ts';

type Size = { width: number; height: number };
type Area = Size & { left: number; right: number; top: number; bottom: number; x: Scale; y: Scale };

const BELOW = 20;
const PER_TIME = 60;
const PER_LETTER = 7;

/** The line of a series with what was found in it, and a reading of the value under pointer or arrow keys. */
export function chart(series: Series, window: Window, size: Size): HTMLElement {
  const values = series.points.concat(series.spikes).map(({ value }) => value);
  const extremes = ['min', 'max'].map((name) => numberOf(series.fields, name) ?? NaN);
  const all = [...values, ...extremes].filter((value) => Number.isFinite(value));
  const ticks = roundTicks(Math.min(...all), Math.max(...all), size.height > 200 ? 4 : 3);
  const area = areaOf(size, window, ticks);
  const picture = svg('svg', {
    class: 'chart',
    width: size.width,
    height: size.height,
    viewBox: `0 0 ${size.width} ${size.height}`,
    role: 'img',
    tabindex: 0,
    'aria-label': summary(series),
  });
  picture.append(
    ...gaps(series, area),
    ...axes(area, window, ticks),
    ...band(series, area),
    ...series.changes.map((at) => upright('change-at', area.x(at), area)),
    svg('path', { class: 'line', d: lineOf(series, area) }),
    ...series.spikes.map((spike) => sign(area.x(spike.at), area.y(spike.value))),
  );
  const reading = el('p', 'small tabular', ' ');
  reading.setAttribute('aria-live', 'polite');
  readUnder(picture, reading, { series, area, window });
  return el('div', '', reading, picture);
}

function areaOf({ width, height }: Size, window: Window, ticks: readonly number[]): Area {
  const letters = Math.max(...ticks.map((tick) => String(tick).length));
  const left = 8 + letters * PER_LETTER;
  const [right, top, bottom] = [width - 8, 8, height - BELOW];
  return {
    width,
    height,
    left,
    right,
    top,
    bottom,
    x: scale(window.from, window.to, left, right),
    y: scale(ticks[0] ?? 0, ticks.at(-1) ?? 1, bottom, top),
  };
}

function axes(area: Area, window: Window, ticks: readonly number[]): SVGElement[] {
  const { left, right, bottom, x, y } = area;
  const times = timeTicks(window, Math.max(2, Math.floor((right - left) / PER_TIME)));
  return [
    ...ticks.flatMap((tick) => [
      svg('line', { class: 'grid', x1: left, x2: right, y1: y(tick), y2: y(tick) }),
      svg('text', { x: left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, String(tick)),
    ]),
    ...times
      .filter(({ at }) => x(at) > left + 16 && x(at) < right - 16)
      .map(({ at, label }) =>
        svg('text', { x: x(at), y: bottom + 16, 'text-anchor': 'middle' }, label),
      ),
  ];
}

const gaps = ({ gaps: all }: Series, { left, right, top, bottom, x }: Area): SVGElement[] =>
  all.map(({ from, to }) => {
    const start = Math.max(left, x(from));
    const width = Math.max(2, Math.min(right, x(to)) - start);
    return svg('rect', { class: 'gap', x: start, y: top, width, height: bottom - top });
  });

/** Where nine of ten values lie. */
function band({ fields }: Series, { left, right, y }: Area): SVGElement[] {
  const low = numberOf(fields, 'p5');
  const high = numberOf(fields, 'p95');
  if (low === null || high === null) return [];
  const height = Math.max(1, y(low) - y(high));
  return [svg('rect', { class: 'band', x: left, y: y(high), width: right - left, height })];
}

const upright = (name: string, x: number, { top, bottom }: Area): SVGElement =>
  svg('line', { class: name, x1: x, x2: x, y1: top, y2: bottom });

const sign = (x: number, y: number): SVGElement =>
  svg('path', { class: 'sign', d: `M${x} ${y - 6}l6 6-6 6-6-6Z` });

/** A new stroke behind every gap. */
function lineOf({ points, gaps: all }: Series, { x, y }: Area): string {
  return points
    .map(({ at, value }, index) => {
      const before = points[index - 1];
      const broken = !before || all.some(({ from, to }) => from >= before.at && to <= at);
      return `${broken ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
    })
    .join('');
}

function summary({ fields }: Series): string {
  const said = ['min', 'mean', 'max']
    .map((name) => `${name} ${numberOf(fields, name) ?? 'unknown'}`)
    .join(', ');
  return `${textOf(fields, 'deviceName')} ${textOf(fields, 'pointName')}: ${said} ${textOf(fields, 'unit')}`;
}

type Read = { series: Series; area: Area; window: Window };

/** Says in `reading` which value is nearest to the pointer; arrow keys go from one to the next. */
function readUnder(
  picture: SVGElement,
  reading: HTMLElement,
  { series, area, window }: Read,
): void {
  const { points, fields } = series;
  const line = upright('reading', -9, area);
  const dot = svg('circle', { class: 'reading-at', r: 5, cx: -9, cy: -9 });
  let shown = -1;
  const read = (index: number): void => {
    const point = points[index];
    if (!point) return;
    shown = index;
    const x = area.x(point.at);
    line.setAttribute('x1', String(x));
    line.setAttribute('x2', String(x));
    dot.setAttribute('cx', String(x));
    dot.setAttribute('cy', String(area.y(point.value)));
    if (!line.isConnected) picture.append(line, dot);
    const value = amount(String(Number(point.value.toPrecision(6))), textOf(fields, 'unit'));
    reading.replaceChildren(localTime(point.at, window), ' · ', value);
  };
  const clear = (): void => {
    shown = -1;
    line.remove();
    dot.remove();
    reading.replaceChildren(' ');
  };
  picture.addEventListener('pointermove', ({ clientX }) => {
    const x = clientX - picture.getBoundingClientRect().left;
    read(nearest(points, (point) => Math.abs(area.x(point.at) - x)));
  });
  picture.addEventListener('pointerleave', clear);
  picture.addEventListener('blur', clear);
  picture.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const from = shown < 0 && step < 0 ? points.length : shown;
    read(Math.min(points.length - 1, Math.max(0, from + step)));
  });
}

function nearest(points: readonly Point[], distance: (point: Point) => number): number {
  let best = -1;
  let least = Infinity;
  for (const [index, point] of points.entries()) {
    const far = distance(point);
    if (far < least) [best, least] = [index, far];
  }
  return best;
}

/** By the clock of the plant. */
const localTime = (at: number, { offsetMs, end }: Window): string =>
  clockTime(new Date(at + offsetMs).toISOString(), end);
