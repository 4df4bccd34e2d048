import { sql } from 'kysely';
import { z } from 'zod';

import type { App, Caller, Operation } from '../../app.ts';
import { stopWords } from '../../auth/agent/mode.ts';
import { stopOf } from '../../auth/agent/stop.ts';
import { Conflict, Forbidden, Gone, TooManyRequests, Unprocessable } from '../../core/errors.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, input } from '../../core/input/input.ts';
import { Name, Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { addRow, changeRow } from '../../entity/change.ts';
import { hold, lockedRow, rowOf } from '../../entity/row.ts';
import { chosen, chosenDevices } from './chosen-devices.ts';
import { Rollout } from './rollout.ts';

/** Proposals that wait for a person, and how long they do. */
const MAX_PROPOSED = 20;
const PROPOSED_MS = 86_400_000;

const TAKEN = 'A device of it has another firmware update under way';

const wanted = {
  rolloutName: Name.optional().describe('Without: package and version'),
  packageId: Id,
  ...chosen,
  byUri: z
    .boolean()
    .optional()
    .describe('The devices fetch the package at its packageUri; without, its bytes are sent'),
  waveSize: z.number().int().min(1).max(1_000).default(10),
  failurePercent: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(10)
    .describe('Stops when this share of the devices begun has failed'),
  minutes: z.number().int().min(1).max(10_080).default(60).describe('For each device'),
};
export const StartRollout = input(wanted);
export const ProposeRollout = input({ ...wanted, reason: Text(512).default('') });
type StartRollout = z.output<typeof StartRollout>;

/**
 * Begins a roll-out. Throws NotFound; Unprocessable for a package without an address that devices are to fetch it at;
 * Conflict for a device that another roll-out updates.
 */
export const start: Operation<StartRollout, Rollout> = (app, caller, given) =>
  conflictIfTaken(
    'update',
    inTenant(app.db, caller.tenantId, (q) => make(q, app, caller, given, 'RUNNING')),
    TAKEN,
  );

/**
 * Makes a roll-out that begins once a person has confirmed it. Throws like `start`;
 * Forbidden while agents are stopped, TooManyRequests.
 */
export const propose: Operation<z.output<typeof ProposeRollout>, Rollout> = (
  app,
  caller,
  { reason, ...given },
) =>
  inTenant(app.db, caller.tenantId, async (q) => {
    const { tenantId, principalId, clientId = '' } = caller;
    const stopped =
      caller.via === 'login' ? null : await stopOf(app, q, { tenantId, principalId, clientId });
    if (stopped) throw new Forbidden(`${stopWords(stopped)}. Nothing was proposed.`);
    const waiting = await q
      .selectFrom('svc_firmware_rollout')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('status', '=', 'PROPOSED')
      .limit(MAX_PROPOSED)
      .execute();
    if (waiting.length >= MAX_PROPOSED)
      throw new TooManyRequests('Too many roll-outs wait for a person', 60);
    return make(q, app, caller, given, 'PROPOSED', reason);
  });

async function make(
  q: Queries,
  app: App,
  caller: Caller,
  {
    packageId,
    byUri = false,
    rolloutName,
    waveSize,
    failurePercent,
    minutes,
    ...which
  }: StartRollout,
  status: 'RUNNING' | 'PROPOSED',
  why = '',
): Promise<Rollout> {
  const { tenantId } = caller;
  const found = await hold(q, 'svc_firmware_package', tenantId, packageId);
  if (byUri && found.packageUri === '')
    throw new Unprocessable('The package has no address at which devices can fetch it');
  const deviceIds = await chosenDevices(q, tenantId, which);
  const isProposed = status === 'PROPOSED';
  const { packageName, packageVersion, size, sha256 } = found;
  const id = await addRow(q, app, caller, 'svc_firmware_rollout', {
    rolloutName: rolloutName ?? `${packageName} ${packageVersion}`.slice(0, 64),
    packageId,
    packageName,
    packageVersion,
    size,
    sha256,
    packageUri: byUri ? found.packageUri : '',
    waveSize,
    failurePercent,
    minutes,
    status,
    why,
    total: deviceIds.length,
    expireTime: isProposed ? new Date(app.clock.now() + PROPOSED_MS) : null,
  });
  await sql`
    insert into svc_firmware_update (tenant_id, rollout_id, device_id, update_id, position, status)
    select ${tenantId}, ${id}, d.id, gen_random_uuid(), d.place, ${isProposed ? status : 'WAITING'}
    from unnest(${deviceIds}::bigint[]) with ordinality as d (id, place)`.execute(q);
  return Rollout.of(await rowOf(q, 'svc_firmware_rollout', tenantId, id));
}

/** Begins a proposed roll-out, as it was proposed. Throws NotFound, Conflict as `start`, Gone for one that expired. */
export const confirm: Operation<ById, Rollout> = (app, caller, { id }) => {
  const { tenantId } = caller;
  const beginning = inTenant(app.db, tenantId, async (q) => {
    const row = await lockedRow(q, 'svc_firmware_rollout', tenantId, id);
    demandProposed(row.status);
    if (row.expireTime && row.expireTime.getTime() <= app.clock.now())
      throw new Gone('The proposal has expired');
    await hold(q, 'svc_firmware_package', tenantId, row.packageId);
    await changeRow(q, app, caller, 'svc_firmware_rollout', { id, status: 'RUNNING' });
    await q
      .updateTable('svc_firmware_update')
      .set({ status: 'WAITING' })
      .where('tenantId', '=', tenantId)
      .where('rolloutId', '=', id)
      .execute();
    return Rollout.of(await rowOf(q, 'svc_firmware_rollout', tenantId, id));
  });
  return conflictIfTaken('update', beginning, TAKEN);
};

/** Throws NotFound, Conflict. */
export const reject: Operation<ById, Rollout> = (app, caller, { id }) =>
  inTenant(app.db, caller.tenantId, async (q) => {
    const { tenantId } = caller;
    const row = await lockedRow(q, 'svc_firmware_rollout', tenantId, id);
    demandProposed(row.status);
    const endTime = new Date(app.clock.now());
    await changeRow(q, app, caller, 'svc_firmware_rollout', { id, status: 'REJECTED', endTime });
    await cancelWaiting(q, { tenantId, id, endTime });
    return Rollout.of(await rowOf(q, 'svc_firmware_rollout', tenantId, id));
  });

function demandProposed(status: Rollout['status']): void {
  if (status !== 'PROPOSED') throw new Conflict('The roll-out does not wait for a decision');
}

/** Ends the updates of a roll-out that have not begun. */
export async function cancelWaiting(
  q: Queries,
  { tenantId, id, endTime }: { tenantId: string; id: string; endTime: Date },
): Promise<void> {
  await q
    .updateTable('svc_firmware_update')
    .set({ status: 'CANCELLED', endTime })
    .where('tenantId', '=', tenantId)
    .where('rolloutId', '=', id)
    .where('status', 'in', ['PROPOSED', 'WAITING'])
    .execute();
}
