import { z } from 'zod';

import { get, type Route } from '../../kernel/app/route.ts';
import { input } from '../../kernel/input/input.ts';
import { Cell } from './calendar.ts';
import * as counted from './counted.ts';
import { ProtocolHealth, protocols } from './protocol.ts';
import { silent, SilentQuery, SilentSource } from './silent.ts';
import { LatestPointValue, stream, StreamQuery } from './stream.ts';

const dash = { needs: 'dashboard:get', scope: 'svc:read', risk: 'read' } as const;
const list = <S extends z.ZodType>(answer: S) => z.array(answer);

/** Figures of values for people (docs/specification/dashboards.md). */
export const routes: readonly Route[] = [
  get(
    '/dashboard/stats/today',
    {
      ...dash,
      summary: 'Counts values of today and yesterday',
      input: input({}),
      output: counted.TodayStats,
    },
    counted.today,
  ),
  get(
    '/dashboard/stats/timeseries',
    {
      ...dash,
      summary: 'Counts values by hour or day',
      input: counted.SeriesQuery,
      output: list(counted.SeriesPoint),
    },
    counted.series,
  ),
  get(
    '/dashboard/stats/latency',
    {
      ...dash,
      summary: 'Counts values by the time from measuring to receiving',
      input: counted.LatencyQuery,
      output: list(counted.LatencyBucket),
    },
    counted.latency,
  ),
  get(
    '/dashboard/stats/activity',
    {
      ...dash,
      summary: 'Counts values by hour of the week',
      input: counted.ActivityQuery,
      output: list(Cell),
    },
    counted.activity,
  ),
  get(
    '/dashboard/top',
    {
      ...dash,
      summary: 'Answers devices, points or drivers with the most values',
      input: counted.TopQuery,
      output: list(counted.TopEntity),
    },
    counted.top,
  ),
  get(
    '/dashboard/stream',
    {
      ...dash,
      summary: 'Answers the values received last',
      input: StreamQuery,
      output: list(LatestPointValue.schema),
    },
    stream,
  ),
  get(
    '/dashboard/silent/sources',
    {
      ...dash,
      summary: 'Answers points that stopped reporting',
      input: SilentQuery,
      output: list(SilentSource),
    },
    silent,
  ),
  get(
    '/dashboard/protocol/health',
    {
      ...dash,
      summary: 'Counts drivers and devices by service',
      input: input({}),
      output: list(ProtocolHealth),
    },
    protocols,
  ),
];
