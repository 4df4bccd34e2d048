/**
 * A bare Express server with the same lists: no caller, no check of the request, the same statements in one
 * transaction of the tenant. Arguments: where the database is, and the tenant.
 */
import { createServer } from 'node:http';

import express, { type RequestHandler } from 'express';

import { openBare } from '../engine/bare.ts';
import { listenAndReport } from '../report.ts';
import * as statements from './statements.ts';

const [where = '', tenantId = ''] = process.argv.slice(2);
const { inTenant } = await openBare(where);

type Asked = { page: { current: number; size: number }; deviceId?: string };
type Fields = Record<string, unknown>;

function list(
  { count, page: pageOf }: statements.Statements,
  answer: (row: Fields) => Fields = (row) => row,
): RequestHandler {
  return async (request, response) => {
    const { page, deviceId }: Asked = request.body;
    const { current, size } = page;
    const own = deviceId === undefined ? [] : [deviceId];
    const { total, rows } = await inTenant(tenantId, async (query) => {
      const [counted] = await query(count, [tenantId, ...own]);
      const found = await query(pageOf, [tenantId, size, (current - 1) * size, ...own]);
      return { total: Number(counted?.['count']), rows: found };
    });
    const records = rows.map(answer);
    const data = { records, total, size, current, pages: Math.ceil(total / size) };
    response.json({ ok: true, code: 'R200', message: 'Success', data });
  };
}

/** The age of a value, and whether a newer one is overdue. */
function aged(row: Fields): Fields {
  const at = row['createTime'];
  const age = Date.now() - (at instanceof Date ? at.getTime() : 0);
  const stale = age > 3_000 * Number(row['expectedIntervalS']);
  return { ...row, ageS: Math.round(age / 1_000), stale };
}

listenAndReport(
  createServer(
    express()
      .disable('x-powered-by')
      .disable('etag')
      .use(express.json())
      .post('/api/v3/manager/device/list', list(statements.devices))
      .post('/api/v3/manager/point/list', list(statements.points))
      .post('/api/v3/data/point_value/latest', list(statements.latest, aged)),
  ),
);
