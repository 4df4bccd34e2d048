import uPlot from 'uplot';

import { language } from '../app/word/words.ts';
import { type Colors, STROKES, thin } from './colors.ts';
import type { Line, Range } from './line.ts';

/** Something that happened, or a level, to be drawn over the lines. */
export type Mark = {
  at: number;
  tone: 'danger' | 'warning' | 'good' | 'quiet';
  /** Kinds of marks differ in more than their color; `diamond` is at its value, `none` a line alone. */
  shape: 'triangle' | 'square' | 'diamond' | 'none';
  value?: number;
};
/** A value as a broken line, or all from it up to `to` as an area. */
export type Level = { value: number; unit: string; to?: number };

/** The axis of a unit from and to values that are given, whatever the lines reach. */
export type FixedAxis = { unit: string; low: number; high: number };

export type Drawn = {
  lines: readonly Line[];
  marks: readonly Mark[];
  levels: readonly Level[];
  /** Times without values. */
  gaps?: readonly Range[];
  fixed?: FixedAxis | undefined;
  colors: Colors;
  range: Range;
  /** How far the clock of the axis is ahead of UTC; that of the browser where it is absent. */
  offsetMs?: number;
  width: number;
  height: number;
  /** A time that a person dragged over. */
  onRange?(range: Range): void;
  onReading(index: number | null): void;
};

const FONT = '12px system-ui';
const AXIS_PX = 56;
const SHORTEST_DRAG_PX = 8;
const DAY_S = 86_400;
const UTC = 'Etc/UTC';
/** Times of a longer range have a date. */
const LONG_MS = 2 * DAY_S * 1_000;

/** How the chart is drawn: a line of means and a band of extremes for each series, an axis for each unit. */
export function optionsOf(drawn: Drawn): uPlot.Options {
  const { lines, fixed, colors, range, offsetMs, width, height, onRange, onReading } = drawn;
  const units = lines.map(({ unit }) => unit);
  const scales = [...new Set(units)];
  return {
    width,
    height,
    legend: { show: false },
    cursor: {
      drag: { x: onRange !== undefined, y: false, dist: SHORTEST_DRAG_PX, setScale: false },
      y: false,
    },
    ...(offsetMs !== undefined && {
      tzDate: (s) => uPlot.tzDate(new Date(s * 1_000 + offsetMs), UTC),
    }),
    scales: {
      x: { time: true, min: range.from / 1_000, max: range.to / 1_000, auto: false },
      ...Object.fromEntries(scales.map((unit) => [unit, scaleOf(lines, unit, fixed)])),
    },
    axes: [
      {
        ...axis(colors),
        space: range.to - range.from > LONG_MS ? 120 : 72,
        values: (_, splits) => clocks(splits, range, offsetMs),
      },
      ...scales.map((scale, index) => ({
        ...axis(colors),
        scale,
        size: AXIS_PX,
        grid: { show: index === 0, stroke: colors.grid, width: 1 },
        values: (_: uPlot, splits: number[]) =>
          splits.map((value, at) =>
            at === splits.length - 1 ? `${value} ${scale}` : String(value),
          ),
      })),
    ],
    series: [
      {},
      ...units.flatMap((scale, index): uPlot.Series[] => {
        const { dash } = STROKES[index % STROKES.length] ?? STROKES[0];
        const stroke = colors.lines[index % colors.lines.length] ?? colors.text;
        const points = { show: false };
        return [
          { scale, stroke, width: 1.5, dash: [...dash], points: { size: 4, fill: stroke } },
          { scale, width: 0, points },
          { scale, width: 0, points },
        ];
      }),
    ],
    bands: units.map((_, index) => ({
      series: [3 * index + 3, 3 * index + 2],
      fill: thin(colors.lines[index % colors.lines.length] ?? colors.text),
    })),
    hooks: {
      drawClear: [(chart) => drawBelow(chart, drawn)],
      draw: [(chart) => drawOver(chart, drawn)],
      setCursor: [({ cursor }) => onReading(cursor.idx ?? null)],
      setSelect: [
        (chart) => {
          const { left, width: wide } = chart.select;
          if (wide < SHORTEST_DRAG_PX) return;
          const at = (px: number): number => chart.posToVal(px, 'x') * 1_000;
          onRange?.({ from: at(left), to: at(left + wide) });
        },
      ],
    },
  };
}

/** As its values need, and at least as far as its lines reach, where it is not fixed. */
function scaleOf(lines: readonly Line[], unit: string, fixed?: FixedAxis): uPlot.Scale {
  if (fixed?.unit === unit) return { range: [fixed.low, fixed.high] };
  const reach = lines.flatMap((line) => (line.unit === unit ? (line.reach ?? []) : []));
  if (reach.length === 0) return {};
  return {
    range: (_, min, max) =>
      uPlot.rangeNum(
        Math.min(...reach, min ?? Infinity),
        Math.max(...reach, max ?? -Infinity),
        0.1,
        true,
      ),
  };
}

const axis = ({ text, grid }: Colors): uPlot.Axis => ({
  stroke: text,
  font: FONT,
  grid: { stroke: grid, width: 1 },
  ticks: { stroke: grid, width: 1, size: 4 },
});

function clocks(seconds: readonly number[], { from, to }: Range, offsetMs?: number): string[] {
  const isLong = to - from > LONG_MS;
  const isShort = to - from < 600_000;
  const format = new Intl.DateTimeFormat(language.value === 'zh' ? 'zh-CN' : 'en-GB', {
    ...(offsetMs !== undefined && { timeZone: UTC }),
    ...(isLong && { day: 'numeric', month: 'short' }),
    ...(!(isLong && seconds.every((at) => at % DAY_S === 0)) && {
      hour: '2-digit',
      minute: '2-digit',
    }),
    ...(isShort && { second: '2-digit' }),
  });
  return seconds.map((at) => format.format(at * 1_000 + (offsetMs ?? 0)));
}

/** Times without values and areas of values, below the lines. */
function drawBelow(chart: uPlot, { gaps = [], levels, colors }: Drawn): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.fillStyle = colors.of('--raised');
  for (const { from, to } of gaps) {
    const x = (at: number): number =>
      Math.min(bbox.left + bbox.width, Math.max(bbox.left, chart.valToPos(at / 1_000, 'x', true)));
    ctx.fillRect(x(from), bbox.top, Math.max(2, x(to) - x(from)), bbox.height);
  }
  ctx.fillStyle = thin(colors.of('--accent'));
  for (const { value, unit, to } of levels) {
    if (to === undefined) continue;
    const y = chart.valToPos(to, unit, true);
    ctx.fillRect(bbox.left, y, bbox.width, Math.max(1, chart.valToPos(value, unit, true) - y));
  }
  ctx.restore();
}

/** Marks as lines over the whole height with their shape above, or at their value; levels as broken lines. */
function drawOver(chart: uPlot, { lines, marks, levels, colors }: Drawn): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  for (const { at, tone, shape, value } of marks) {
    const x = Math.round(chart.valToPos(at / 1_000, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = ctx.fillStyle = colors.of(`--${tone}`);
    const y = value === undefined ? bbox.top : chart.valToPos(value, lines[0]?.unit ?? '', true);
    if (value === undefined) across(ctx, [x, bbox.top], [x, bbox.top + bbox.height], [3, 3]);
    sign(ctx, shape, x, y);
  }
  ctx.strokeStyle = colors.of('--danger');
  for (const { value, unit, to } of levels) {
    const y = Math.round(chart.valToPos(value, unit, true));
    if (to !== undefined || !(y >= bbox.top && y <= bbox.top + bbox.height)) continue;
    across(ctx, [bbox.left, y], [bbox.left + bbox.width, y], [8, 4]);
  }
  ctx.restore();
}

type Place = readonly [x: number, y: number];

function across(
  ctx: CanvasRenderingContext2D,
  [x, y]: Place,
  to: Place,
  dash: readonly number[],
): void {
  ctx.setLineDash(dash.map((length) => length * devicePixelRatio));
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(...to);
  ctx.stroke();
}

/** Corners of a shape below its place, or around it, by its size. */
const CORNERS: Record<Mark['shape'], readonly Place[]> = {
  triangle: [
    [-1, 0],
    [1, 0],
    [0, 1.6],
  ],
  square: [
    [-1, 0],
    [1, 0],
    [1, 2],
    [-1, 2],
  ],
  diamond: [
    [0, -1],
    [1, 0],
    [0, 1],
    [-1, 0],
  ],
  none: [],
};

function sign(ctx: CanvasRenderingContext2D, shape: Mark['shape'], x: number, y: number): void {
  const size = 5 * devicePixelRatio;
  ctx.beginPath();
  for (const [right, down] of CORNERS[shape]) ctx.lineTo(x + right * size, y + down * size);
  ctx.fill();
}
