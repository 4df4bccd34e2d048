import { z } from 'zod';

import type { digests } from '../../src/data/digest/digests.ts';
import { plotPng } from '../../src/data/digest/plot.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import type { Content } from '../../src/kernel/app/exchange.ts';
import { Unprocessable } from '../../src/kernel/errors.ts';
import { onFirstUse } from '../../src/kernel/first-use.ts';
import { inZone, UTC } from '../../src/kernel/sentence/time-zone.ts';
import { clean } from '../../src/kernel/sentence/visible.ts';
import { MAX_UNIT } from '../../src/kernel/sentence/voice.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import { momentOf, Since } from '../given/window.ts';
import { cutTo, maxTokens } from '../shape/budget.ts';
import { defineTool, READS } from '../shape/define.ts';
import { trendView } from '../shape/view.ts';
import { AskedPoints, pairsOf } from './asked-points.ts';
import { FlatFields, flatOf } from './flat-series.ts';
import { edgesOf, Every } from './parts.ts';
import { Series, seriesOf } from './series.ts';

const digesting = onFirstUse(() => import('../../src/data/digest/digests.ts'));
const HOUR_MS = 3_600_000;
const MAX_HOURS = 31 * 24;
const MAX_ROWS = 50;
/** Said of a window that was asked for up to a later time. */
const CUT = 'it ends now, since what is later has not happened';

const Time = (what: string) => Since.optional().describe(what);

const Cursor = z.string().refine((text) => /^\d$/.test(text), 'must be a nextCursor');

const Input = z.strictObject({
  ...AskedPoints,
  hours: z.number().positive().max(MAX_HOURS).optional().describe('Window, 24'),
  from: Time('Begin, ISO-8601; without offset: plant time'),
  to: Time('End; now'),
  compare: z.boolean().default(false).describe('With the period before'),
  rows: z.int().min(0).max(MAX_ROWS).default(0).describe('Values of each, even in time'),
  every: Every,
  plot: z.boolean().default(false).describe('As an image too'),
  cursor: Cursor.optional().describe('nextCursor'),
  ...maxTokens,
});

export const historyTool = defineTool({
  name: 'getPointValueHistory',
  title: 'Value history',
  domain: 'Point value',
  listed: 'direct',
  description:
    'Digests the stored values of up to 10 points: extremes, mean, trend, gaps, spikes, changes, sparkline. Rows, figures per hour, day or week, or a plot on request.',
  permission: 'svc-center-data:point_value:list',
  scope: 'svc:read',
  input: Input,
  // Of one point by its ids the series itself, as it was before there were several.
  output: z.object({
    from: z.string(),
    to: z.string(),
    cut: z.string().optional(),
    series: z.array(Series).optional(),
    nextCursor: z.string().optional(),
    ...FlatFields,
  }),
  annotations: READS,
  view: trendView,
  run: async (app, caller, input) => (await answered(app, caller, input)).structured,
  async reply(app, caller, input) {
    const { structured, plot } = await answered(app, caller, input);
    return { kind: 'record', structured, ...(plot && { beside: [plot] }) };
  },
});

type Found = Awaited<ReturnType<typeof digests>>;

async function answered(app: App, caller: Caller, input: z.output<typeof Input>) {
  const { zone, from, to, isCut } = windowOf(app, caller, input);
  const skipped = Number(input.cursor ?? 0);
  const { digests } = await digesting();
  const found = await withNames(app, caller, async (find) => {
    const pairs = (await pairsOf(app, caller, find, input)).slice(skipped);
    const { compare, plot, every } = input;
    const edges = every && edgesOf(from, to ?? app.clock.now(), every, zone);
    return digests(app, caller, { pairs, from, to, compare, samples: input.rows, plot, edges });
  });
  const end = to ?? app.clock.now();
  const window = { from: inZone(from, zone), to: inZone(end, zone), ...(isCut && { cut: CUT }) };
  const plot = input.plot ? await imageOf(found, { from, to: end, zone }) : null;
  const [only] = found;
  if (input.points === undefined && only)
    return { structured: { ...flatOf(only, zone, end - from), ...window }, plot };
  const series = found.map((digest) => seriesOf(digest, zone, end - from));
  const { rows: fitting, left } = cutTo(series, input.maxTokens);
  const next = left > 0 && { nextCursor: String(skipped + fitting.length) };
  return { structured: { ...window, series: fitting, ...next }, plot };
}

async function imageOf(
  found: Found,
  window: { from: number; to: number; zone: string },
): Promise<Content> {
  const [unit = '', ...others] = new Set(found.map((one) => one.unit));
  const lines = found.map(({ line }) => line);
  const png = await plotPng({
    ...window,
    lines,
    unit: others.length > 0 ? '' : clean(unit, MAX_UNIT),
  });
  return { type: 'image', mimeType: 'image/png', data: png.toString('base64') };
}

type Given = { hours?: number | undefined; from?: string | undefined; to?: string | undefined };

/** In ms; without an end: up to the newest value. A window that ends after now ends now. */
function windowOf({ clock }: App, caller: Caller, given: Given) {
  const now = clock.now();
  const zone = caller.timezone ?? UTC;
  const asked = momentOf(given.to, { zone, now })?.getTime();
  const to = asked === undefined ? undefined : Math.min(asked, now);
  const hours = given.hours ?? 24;
  const from = momentOf(given.from, { zone, now })?.getTime() ?? (to ?? now) - hours * HOUR_MS;
  if (from >= now)
    throw new Unprocessable(`from must be before now, which is ${inZone(now, zone)} at the plant`);
  const isCut = asked !== undefined && asked > now;
  if (given.from !== undefined && given.hours !== undefined) {
    if (to !== undefined) throw new Unprocessable('Give two of from, to and hours');
    return { zone, from, to: Math.min(from + hours * HOUR_MS, now), isCut };
  }
  return { zone, from, to, isCut };
}
