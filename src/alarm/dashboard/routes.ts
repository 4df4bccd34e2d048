import { z } from 'zod';

import { Cell } from '../../data/dashboard/calendar.ts';
import { get, type Route } from '../../kernel/app/route.ts';
import { input } from '../../kernel/input/input.ts';
import { Alert } from '../alarm/alert.ts';
import { changed, ChangeImpact, ChangeQuery } from './changed.ts';
import { correlation, CorrelationPair, CorrelationQuery } from './correlation.ts';
import { coverageGap, CoverageGap, GapQuery } from './coverage.ts';
import * as distribution from './distribution.ts';
import * as frequent from './frequent.ts';
import { latest, LatestQuery } from './latest.ts';
import { PeerDeviation, PeerQuery, peers } from './peers.ts';
import { AlarmKpi, kpi, KpiQuery } from './performance/kpi.ts';
import { AlertStats, stats } from './stats.ts';
import { SystemHealth, systemHealth } from './system-health.ts';
import { Trend, trend, TrendQuery } from './trend.ts';
import { Aging, aging, Mtta, mtta, MttaQuery } from './waiting.ts';

const dash = { needs: 'dashboard:get', scope: 'svc:read', risk: 'read' } as const;
const list = <S extends z.ZodType>(answer: S) => z.array(answer);

/** Figures of alarms for people (docs/specification/dashboards.md). */
export const routes: readonly Route[] = [
  get(
    '/dashboard/alert/stats',
    {
      ...dash,
      summary: 'Counts alarms by state, type and hour',
      input: input({}),
      output: AlertStats,
    },
    stats,
  ),
  get(
    '/dashboard/alert/latest',
    {
      ...dash,
      summary: 'Answers the newest alarms',
      input: LatestQuery,
      output: list(Alert.schema),
    },
    latest,
  ),
  get(
    '/dashboard/alert/trend',
    { ...dash, summary: 'Counts alarms by day', input: TrendQuery, output: list(Trend) },
    trend,
  ),
  get(
    '/dashboard/alert/top_sources',
    {
      ...dash,
      summary: 'Answers what raised the most alarms',
      input: frequent.TopQuery,
      output: list(frequent.Frequent),
    },
    frequent.topSources,
  ),
  get(
    '/dashboard/alert/activity',
    {
      ...dash,
      summary: 'Counts alarms by hour of the week',
      input: distribution.ActivityQuery,
      output: list(Cell),
    },
    distribution.activity,
  ),
  get(
    '/dashboard/alert/type_distribution',
    {
      ...dash,
      summary: 'Counts alarms by type',
      input: distribution.TypesQuery,
      output: list(distribution.TypeBucket),
    },
    distribution.types,
  ),
  get(
    '/dashboard/alert/storm_sources',
    {
      ...dash,
      summary: 'Answers what raises many alarms now',
      input: frequent.StormQuery,
      output: list(frequent.Frequent),
    },
    frequent.stormSources,
  ),
  get(
    '/dashboard/alert/flapping',
    {
      ...dash,
      summary: 'Answers what raises the same alarm again and again',
      input: frequent.FlappingQuery,
      output: list(frequent.Flapping),
    },
    frequent.flapping,
  ),
  get(
    '/dashboard/alert/correlation',
    {
      ...dash,
      summary: 'Answers which alarms come together',
      input: CorrelationQuery,
      output: list(CorrelationPair),
    },
    correlation,
  ),
  get(
    '/dashboard/alert/peer_deviation',
    {
      ...dash,
      summary: 'Answers devices with more alarms than others of their profile',
      input: PeerQuery,
      output: list(PeerDeviation),
    },
    peers,
  ),
  get(
    '/dashboard/alert/aging',
    { ...dash, summary: 'Counts unconfirmed alarms by age', input: input({}), output: Aging },
    aging,
  ),
  get(
    '/dashboard/alert/mtta',
    {
      ...dash,
      summary: 'Answers how long alarms waited for their confirmation, by day',
      input: MttaQuery,
      output: list(Mtta),
    },
    mtta,
  ),
  get(
    '/dashboard/alert/kpi',
    {
      ...dash,
      summary: 'Answers how many alarms operators got, by the measures of ISA-18.2 and EEMUA 191',
      reason: 'docs/specification/dashboards.md, Performance of alarms',
      input: KpiQuery,
      output: AlarmKpi,
    },
    kpi,
  ),
  get(
    '/dashboard/alert/change_impact',
    {
      ...dash,
      summary: 'Answers what was configured last',
      input: ChangeQuery,
      output: list(ChangeImpact),
    },
    changed,
  ),
  get(
    '/dashboard/coverage/gap',
    {
      ...dash,
      summary: 'Answers points that no rule watches',
      input: GapQuery,
      output: CoverageGap,
    },
    coverageGap,
  ),
  get(
    '/dashboard/system/health',
    {
      ...dash,
      summary:
        'Answers whether database and bus work and how much is online, and which notifications failed',
      input: z.object({}),
      output: SystemHealth,
    },
    systemHealth,
  ),
];
