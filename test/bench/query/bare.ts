/** The floor: node:http, the bare driver that reads the values of a point, and their extremes and mean. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';

import { z } from 'zod';

import { openBare } from '../engine/bare.ts';
import { listenAndReport } from '../report.ts';

const Asked = z.object({
  deviceId: z.string(),
  pointId: z.string(),
  from: z.number(),
  to: z.number(),
});
const Read = z.object({ create_time: z.date(), num_value: z.number() });

const [message]: unknown[] = await once(process, 'message');
const { bare, tenantId } = z.object({ bare: z.string(), tenantId: z.string() }).parse(message);
const { inTenant } = await openBare(bare);

listenAndReport(
  createServer((request, response) => {
    void answerTo(request).then((found) => response.end(JSON.stringify(found)));
  }),
);

async function answerTo(request: IncomingMessage) {
  const { deviceId, pointId, from, to } = Asked.parse(await json(request));
  const rows = await inTenant(tenantId, (query) =>
    query(
      `select create_time, num_value from svc_point_value where tenant_id = $1 and device_id = $2
         and point_id = $3 and create_time between $4 and $5 order by create_time, seq`,
      [tenantId, deviceId, pointId, new Date(from), new Date(to)],
    ),
  );
  const first = Read.parse(rows[0]);
  let [min, max, sum] = [first.num_value, first.num_value, 0];
  for (const one of rows) {
    const value = Number(one['num_value']);
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
  }
  return { first, min, max, mean: sum / rows.length, count: rows.length };
}
