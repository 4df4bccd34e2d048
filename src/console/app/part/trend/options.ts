import type uPlot from 'uplot';

import { language } from '../../word/words.ts';
import { type Ink, STROKES, thin } from './ink.ts';
import type { Range } from './range.ts';

/** Something that happened, or a level, to be drawn over the lines. */
export type Mark = {
  at: number;
  tone: 'danger' | 'warning' | 'good' | 'quiet';
  /** Kinds of marks differ in more than their colour. */
  shape: 'triangle' | 'square';
};
export type Level = { value: number; unit: string };

type Drawn = {
  units: readonly string[];
  marks: readonly Mark[];
  levels: readonly Level[];
  ink: Ink;
  range: Range;
  width: number;
  height: number;
  onRange(range: Range): void;
  onReading(index: number | null): void;
};

const FONT = '12px system-ui';
const AXIS_PX = 56;
const SHORTEST_DRAG_PX = 8;
const DAY_S = 86_400;
/** Times of a longer range have a date. */
const LONG_MS = 2 * DAY_S * 1_000;

/** How the chart is drawn: a line of means and a band of extremes for each series, an axis for each unit. */
export function optionsOf(drawn: Drawn): uPlot.Options {
  const { units, ink, range, width, height, onRange, onReading } = drawn;
  const scales = [...new Set(units)];
  return {
    width,
    height,
    legend: { show: false },
    cursor: { drag: { x: true, y: false, dist: SHORTEST_DRAG_PX, setScale: false }, y: false },
    scales: { x: { time: true, min: range.from / 1_000, max: range.to / 1_000, auto: false } },
    axes: [
      {
        ...axis(ink),
        space: range.to - range.from > LONG_MS ? 120 : 72,
        values: (_, splits) => clocks(splits, range),
      },
      ...scales.map((scale, index) => ({
        ...axis(ink),
        scale,
        size: AXIS_PX,
        grid: { show: index === 0, stroke: ink.grid, width: 1 },
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
        const stroke = ink.lines[index % ink.lines.length] ?? ink.text;
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
      fill: thin(ink.lines[index % ink.lines.length] ?? ink.text),
    })),
    hooks: {
      draw: [(chart) => drawOver(chart, drawn)],
      setCursor: [({ cursor }) => onReading(cursor.idx ?? null)],
      setSelect: [
        (chart) => {
          const { left, width: wide } = chart.select;
          if (wide < SHORTEST_DRAG_PX) return;
          const at = (px: number): number => chart.posToVal(px, 'x') * 1_000;
          onRange({ from: at(left), to: at(left + wide) });
        },
      ],
    },
  };
}

const axis = ({ text, grid }: Ink): uPlot.Axis => ({
  stroke: text,
  font: FONT,
  grid: { stroke: grid, width: 1 },
  ticks: { stroke: grid, width: 1, size: 4 },
});

function clocks(seconds: readonly number[], { from, to }: Range): string[] {
  const isLong = to - from > LONG_MS;
  const isShort = to - from < 600_000;
  const format = new Intl.DateTimeFormat(language.value === 'zh' ? 'zh-CN' : 'en-GB', {
    ...(isLong && { day: 'numeric', month: 'short' }),
    ...(!(isLong && seconds.every((at) => at % DAY_S === 0)) && {
      hour: '2-digit',
      minute: '2-digit',
    }),
    ...(isShort && { second: '2-digit' }),
  });
  return seconds.map((at) => format.format(at * 1_000));
}

/** Marks as lines over the whole height with their shape above, levels as broken lines. */
function drawOver(chart: uPlot, { marks, levels, ink }: Drawn): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  for (const { at, tone, shape } of marks) {
    const x = Math.round(chart.valToPos(at / 1_000, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    const size = 5 * devicePixelRatio;
    ctx.strokeStyle = ctx.fillStyle = ink.of(`--${tone}`);
    ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x - size, bbox.top);
    ctx.lineTo(x + size, bbox.top);
    if (shape === 'triangle') ctx.lineTo(x, bbox.top + 1.6 * size);
    else {
      ctx.lineTo(x + size, bbox.top + 2 * size);
      ctx.lineTo(x - size, bbox.top + 2 * size);
    }
    ctx.fill();
  }
  ctx.strokeStyle = ink.of('--danger');
  ctx.setLineDash([8 * devicePixelRatio, 4 * devicePixelRatio]);
  for (const { value, unit } of levels) {
    const y = Math.round(chart.valToPos(value, unit, true));
    if (!(y >= bbox.top && y <= bbox.top + bbox.height)) continue;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
}
