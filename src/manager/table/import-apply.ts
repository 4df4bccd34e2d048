import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { AppError } from '../../kernel/errors.ts';
import { updateIn } from '../device/device.ts';
import { insertDevices } from '../device/insert.ts';
import { changesOf } from '../driver/attribute-config-change.ts';
import type { Table } from './columns.ts';
import { bindIn } from './memberships.ts';
import type { PlannedRow } from './plan-rows.ts';

type Added = Extract<PlannedRow, { verdict: 'ADD' }>;
type Changed = Extract<PlannedRow, { verdict: 'CHANGE' }>;

const configs = { driver: changesOf('driver'), point: changesOf('point') };

/**
 * Adds and changes the devices of judged rows in this transaction; a row that is refused leaves the others. Answers the
 * rows with what became of them.
 */
export async function applyRows(
  q: Queries,
  app: App,
  caller: Caller,
  table: Table,
  rows: readonly PlannedRow[],
): Promise<PlannedRow[]> {
  const added = rows.filter((one) => one.verdict === 'ADD');
  const isRefused = await refusalOf(q, () => add(q, app, caller, table, added));
  const done: PlannedRow[] = [];
  for (const one of rows) {
    const refused =
      one.verdict === 'ADD' && isRefused
        ? await refusalOf(q, () => add(q, app, caller, table, [one]))
        : one.verdict === 'CHANGE'
          ? await refusalOf(q, () => change(q, app, caller, one))
          : null;
    const { row, deviceName } = one;
    done.push(refused ? { row, deviceName, verdict: 'REFUSED', refused } : one);
  }
  return done;
}

/** Takes back what `work` wrote when it is refused; answers why. */
async function refusalOf(q: Queries, work: () => Promise<void>) {
  await sql`savepoint svc_row`.execute(q);
  try {
    await conflictIfTaken('device', work());
    await sql`release savepoint svc_row`.execute(q);
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    await sql`rollback to savepoint svc_row`.execute(q);
    return { column: '', reason: error.message.replace(/^Row \d+: /, '') };
  }
}

async function add(
  q: Queries,
  app: App,
  caller: Caller,
  table: Table,
  rows: readonly Added[],
): Promise<void> {
  if (rows.length === 0) return;
  const planned = rows.map(({ row, given: { device, configs: given } }) => ({
    row,
    deviceName: device.deviceName,
    deviceCode: device.deviceCode ?? randomUUID(),
    remark: device.remark ?? '',
    ...(device.enableFlag === undefined ? {} : { enableFlag: device.enableFlag }),
    configs: given,
  }));
  const ids = await insertDevices(app, q, caller, table, planned);
  for (const { given, ids: named } of rows) {
    const deviceId = ids.get(given.device.deviceName);
    if (deviceId !== undefined) await bindIn(q, app, caller, deviceId, named);
  }
}

async function change(q: Queries, app: App, caller: Caller, row: Changed): Promise<void> {
  const { deviceId, given, ids, changes } = row;
  const { deviceName, remark, enableFlag } = given.device;
  const changed = new Set(changes.map(({ column }) => column));
  if (['deviceName', 'remark', 'enableFlag'].some((column) => changed.has(column)))
    await updateIn(q, app, caller, { id: deviceId, deviceName, remark, enableFlag });
  for (const { title, attribute, point, configValue } of given.configs) {
    if (!changed.has(title)) continue;
    const kind = point ? 'point' : 'driver';
    const key = { deviceId, attributeId: attribute.id, ...(point ? { pointId: point.id } : {}) };
    const id = await configIdOf(q, caller.tenantId, key);
    if (id === null) await configs[kind].addIn(q, app, caller, { ...key, configValue });
    else await configs[kind].updateIn(q, app, caller, { id, configValue });
  }
  await bindIn(q, app, caller, deviceId, ids);
}

async function configIdOf(
  q: Queries,
  tenantId: string,
  { deviceId, attributeId, pointId }: { deviceId: string; attributeId: string; pointId?: string },
): Promise<string | null> {
  const table = sql.table(`svc_${pointId === undefined ? 'driver' : 'point'}_attribute_config`);
  const ofPoint = pointId === undefined ? sql`` : sql`and point_id = ${pointId}`;
  const { rows } = await sql<{ id: string }>`
    select id from ${table}
    where tenant_id = ${tenantId} and device_id = ${deviceId} and attribute_id = ${attributeId}
      ${ofPoint}`.execute(q);
  return rows[0]?.id ?? null;
}
