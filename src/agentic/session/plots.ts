import { z } from 'zod';

const MAX_PLOTS = 10;

/** Values of a point that a tool has looked at: what a page draws beside the answer. */
export const Plot = z.object({
  deviceId: z.string(),
  deviceName: z.string(),
  pointId: z.string(),
  pointName: z.string(),
  unit: z.string(),
  from: z.string().meta({ examples: ['2026-11-22T08:00:00+01:00'] }),
  to: z.string(),
});
export type Plot = z.output<typeof Plot>;

const Window = Plot.pick({ from: true, to: true });
const Points = z.object({ series: z.array(z.unknown()).optional() });

/** The plots in the result of a tool: its series in its window; none of any other result. */
export function plotsIn(result: Record<string, unknown>): Plot[] {
  const window = Window.safeParse(result).data;
  if (!window) return [];
  const series = Points.safeParse(result).data?.series ?? [result];
  return series.slice(0, MAX_PLOTS).flatMap((each) => {
    const point = Plot.omit({ from: true, to: true }).safeParse(each).data;
    return point ? [{ ...point, ...window }] : [];
  });
}
