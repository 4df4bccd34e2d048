import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { EnableFlag, nameOf } from '../../kernel/input/flag.ts';
import { lackedBy } from '../device/table.ts';
import { HIDDEN } from '../driver/attribute-config.ts';
import { REQUIRED } from '../driver/attribute.ts';
import { isIdentity, takenText } from '../driver/endpoint-claim.ts';
import { isSecret } from '../entity/secret-value.ts';
import { LABELS, type Table } from './columns.ts';
import { type Memberships, membershipsOf } from './memberships.ts';
import type { Missing } from './missing.ts';
import { inputOf, type RowInput } from './row-input.ts';
import type { Refusal, Row } from './rows.ts';
import { cellsOf } from './stored-cells.ts';

type Change = { column: string; before: string; after: string };

/** What an import does with a row. */
export type PlannedRow = { row: number; deviceName: string } & (
  | { verdict: 'ADD'; given: RowInput; ids: Memberships }
  | {
      verdict: 'CHANGE';
      given: RowInput;
      ids: Memberships;
      deviceId: string;
      changes: Change[];
    }
  | { verdict: 'UNCHANGED' }
  | { verdict: 'REFUSED'; refused: Refusal }
);

type Known = Awaited<ReturnType<typeof knownOf>>;

/**
 * Compares rows of a table with what is stored: a row is for the device with its code, else with its name. An empty
 * cell leaves what is; groups and labels in `made` count as there. An identity that a device of another tenant has is found by the claim alone.
 */
export async function planRows(
  q: Queries,
  tenantId: string,
  table: Table,
  rows: readonly Row[],
  made?: Missing,
): Promise<PlannedRow[]> {
  const read = rows.map((one) => ({ ...one, given: inputOf(table, one) }));
  const inputs = read.flatMap(({ given }) => ('device' in given ? [given] : []));
  const known = await knownOf(q, tenantId, table, inputs, made);
  return read.map(({ row, cells, given }): PlannedRow => {
    const deviceName = cells.get('deviceName') ?? '';
    const refused = 'device' in given ? refusalOf(table, known, given) : given;
    if (refused || !('device' in given)) return refuse(row, deviceName, refused);
    const device = deviceFor(known, given);
    const ids = known.memberships.idsFor(given);
    if (!device) return { row, deviceName, verdict: 'ADD', given, ids };
    const changes = changesOf(given, known.cells.get(device.id) ?? new Map());
    return changes.length === 0
      ? { row, deviceName, verdict: 'UNCHANGED' }
      : { row, deviceName, verdict: 'CHANGE', given, ids, deviceId: device.id, changes };
  });
}

const refuse = (row: number, deviceName: string, refused: Refusal | null): PlannedRow => ({
  row,
  deviceName,
  verdict: 'REFUSED',
  refused: refused ?? { column: '', reason: '' },
});

/** The stored rows that these inputs are about. */
async function knownOf(
  q: Queries,
  tenantId: string,
  table: Table,
  inputs: readonly RowInput[],
  made: Missing | undefined,
) {
  const names = inputs.map(({ device }) => device.deviceName);
  const codes = inputs.flatMap(({ device }) => device.deviceCode ?? []);
  const found = q
    .selectFrom('svc_device')
    .select(['id', 'deviceName', 'deviceCode', 'remark', 'enableFlag', 'driverId', 'profileId'])
    .where('tenantId', '=', tenantId)
    .where((eb) =>
      eb.or([
        eb('deviceName', '=', eb.fn.any(eb.val(names))),
        eb('deviceCode', '=', eb.fn.any(eb.val(codes))),
      ]),
    );
  const [devices, claims, memberships] = await Promise.all([
    found.execute(),
    claimsOf(q, tenantId, table.driverId, inputs),
    membershipsOf(q, tenantId, inputs, made),
  ]);
  return {
    byName: new Map(devices.map((device) => [device.deviceName, device])),
    byCode: new Map(devices.map((device) => [device.deviceCode, device])),
    cells: await cellsOf(q, tenantId, table, devices),
    claims,
    memberships,
  };
}

const identities = ({ configs }: RowInput) =>
  configs.filter(({ attribute, point }) => !point && isIdentity(attribute));

/** The devices of this tenant by the identities of the inputs. */
async function claimsOf(
  q: Queries,
  tenantId: string,
  driverId: string,
  inputs: readonly RowInput[],
): Promise<Map<string, string>> {
  const endpoints = inputs.flatMap((one) => identities(one).map(({ configValue }) => configValue));
  if (endpoints.length === 0) return new Map();
  const { rows } = await sql<{ endpoint: string; deviceId: string }>`
    select c.endpoint, c.device_id from svc_endpoint_claim c
    join svc_driver d on d.tenant_id = c.tenant_id and d.driver_code = c.driver_code
    where c.tenant_id = ${tenantId} and d.id = ${driverId}
      and c.endpoint = any(${endpoints}::text[])`.execute(q);
  return new Map(rows.map(({ endpoint, deviceId }) => [endpoint, deviceId]));
}

function deviceFor({ byName, byCode }: Known, { device: { deviceName, deviceCode } }: RowInput) {
  return deviceCode === undefined ? byName.get(deviceName) : byCode.get(deviceCode);
}

function refusalOf(table: Table, known: Known, given: RowInput): Refusal | null {
  const { deviceName } = given.device;
  const device = deviceFor(known, given);
  const named = known.byName.get(deviceName);
  if (named && named.id !== device?.id)
    return { column: 'deviceName', reason: 'The device name is already taken' };
  if (device && (device.driverId !== table.driverId || device.profileId !== table.profileId))
    return { column: 'deviceName', reason: 'The device has another driver or profile' };
  for (const { title, attribute, configValue } of identities(given)) {
    const holder = known.claims.get(configValue);
    if (holder !== undefined && holder !== device?.id)
      return { column: title, reason: takenText(attribute) };
  }
  const lacking = device ? undefined : lackedBy(table.columns, given.configs);
  if (lacking) return { column: lacking.title, reason: `The value ${REQUIRED}` };
  const before = device ? known.cells.get(device.id) : undefined;
  return known.memberships.refusalFor(given, before?.get('groupName'));
}

function changesOf(given: RowInput, before: ReadonlyMap<string, string>): Change[] {
  const { device, groupName, labelNames, configs } = given;
  const { deviceName, remark, enableFlag } = device;
  const labels = before.get('labelNames')?.split(LABELS) ?? [];
  const added = labelNames.filter((label) => !labels.includes(label));
  const after: [string, string | null | undefined][] = [
    ['deviceName', deviceName],
    ['remark', remark],
    ['enableFlag', enableFlag === undefined ? null : nameOf(EnableFlag, enableFlag)],
    ['groupName', groupName],
    ['labelNames', added.length > 0 ? [...labels, ...added].join(LABELS) : null],
  ];
  const own = after.flatMap(([column, text]) => {
    const was = before.get(column) ?? '';
    return text === null || text === undefined || text === was
      ? []
      : [{ column, before: was, after: text }];
  });
  // A stored secret is not compared: an answer would tell whether it was guessed.
  const ofConfigs = configs.flatMap(({ title, attribute, configValue }) => {
    if (isSecret(attribute.attributeExt)) return [{ column: title, before: HIDDEN, after: HIDDEN }];
    const was = before.get(title) ?? '';
    return was === configValue ? [] : [{ column: title, before: was, after: configValue }];
  });
  return [...own, ...ofConfigs];
}
