import { z } from 'zod';

import { FilePieces, get, Pieces, post, type Route } from '../kernel/app/route.ts';
import { pageOfAnswers } from '../kernel/entity/answer.ts';
import { Trend, trend, TrendQuery } from './digest/trend.ts';
import * as importRecord from './ingest/import-record.ts';
import * as valueImport from './ingest/value-import.ts';
import { ValueDeletion } from './retention/deletion.ts';
import { undoImport, UndoImport } from './retention/import-undo.ts';
import { Why, why, WhyQuery } from './silence/why.ts';
import { exportHistory, exportParquet, ExportQuery, ParquetQuery } from './value/history-export.ts';
import * as valueHistory from './value/history.ts';
import * as latestValue from './value/latest-value.ts';

const lists = { needs: 'point_value:list', scope: 'svc:read', risk: 'read' } as const;

/** Latest values of points, their history, and its import. */
export const routes: readonly Route[] = [
  post(
    '/point_value/latest',
    {
      ...lists,
      summary: 'Answers the points of a device with their latest values',
      input: latestValue.LatestQuery,
      output: pageOfAnswers(latestValue.LatestValue),
    },
    latestValue.latest,
  ),
  post(
    '/point_value/list',
    {
      ...lists,
      summary: 'Answers the latest values of the tenant, newest first',
      input: latestValue.ListQuery,
      output: pageOfAnswers(latestValue.LatestValue),
    },
    latestValue.page,
  ),
  get(
    '/point_value/why',
    {
      ...lists,
      summary: 'Answers why a point has no fresh and good value, and the next step',
      reason: 'docs/specification/values.md, Why no data',
      input: WhyQuery,
      output: Why,
    },
    why,
  ),
  get(
    '/point_value/list_history_by_device_id_and_point_id',
    {
      ...lists,
      summary: 'Answers stored values of a point, newest first',
      input: valueHistory.HistoryQuery,
      output: z.array(valueHistory.HistoryValue),
    },
    valueHistory.history,
  ),
  post(
    '/point_value/trend',
    {
      ...lists,
      summary: 'Answers the numbers of points over a span in parts with their extremes',
      reason: 'docs/specification/values.md, Trends of values',
      input: TrendQuery,
      output: Trend,
    },
    trend,
  ),
  {
    ...get(
      '/point_value/export',
      {
        ...lists,
        summary: 'Answers stored values of a point over a span as a table (text/csv), oldest first',
        reason: 'docs/specification/values.md, Tables of values',
        input: ExportQuery,
        output: Pieces,
      },
      exportHistory,
    ),
    csv: 'stream',
  },
  {
    ...get(
      '/point_value/export/parquet',
      {
        ...lists,
        summary: 'Answers stored values of a point over a span as a Parquet file, oldest first',
        reason: 'docs/specification/values.md, Tables of values',
        input: ParquetQuery,
        output: FilePieces,
      },
      exportParquet,
    ),
    parquet: true,
  },
  {
    ...post(
      '/point_value/import',
      {
        needs: 'point_value:import',
        scope: 'interactive',
        risk: 'add',
        summary:
          'Adds past values (JSON, or a table as text/csv) to the history, and to nothing else',
        reason: 'Past values, late by design',
        input: valueImport.ImportValues,
        output: valueImport.Imported,
      },
      valueImport.importValues,
    ),
    csv: 'body',
  },
  post(
    '/point_value/import/list',
    {
      ...lists,
      summary: 'Answers imports of past values with how far they are undone, newest first',
      reason: 'docs/specification/values.md, Past values',
      input: importRecord.ImportQuery,
      output: pageOfAnswers(importRecord.ValueImport.schema),
    },
    importRecord.page,
  ),
  post(
    '/point_value/import/undo',
    {
      needs: 'point_value:delete',
      scope: 'interactive',
      risk: 'remove',
      summary: 'Deletes the values that an import stored, and no others',
      reason: 'docs/specification/values.md, Past values',
      input: UndoImport,
      output: ValueDeletion.schema,
    },
    undoImport,
  ),
];
