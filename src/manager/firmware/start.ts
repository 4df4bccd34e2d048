import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { addRow } from '../../kernel/entity/change.ts';
import { hold, rowOf } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Name } from '../../kernel/input/text.ts';
import { chosen, chosenDevices } from './chosen-devices.ts';
import { Rollout } from './rollout.ts';
import { type Target, targetsOf } from './target.ts';

/** Devices whose rows are made in one statement. */
const AT_ONCE = 500;

export const waves = {
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
export const StartRollout = input({
  rolloutName: Name.optional().describe('Without: package and version'),
  packageId: Id,
  ...chosen,
  ...waves,
});

/**
 * Begins a roll-out of a person. Throws NotFound; Unprocessable for a package without an address that devices are to fetch it at;
 * Conflict for a device that another roll-out updates.
 */
export const start: Operation<z.output<typeof StartRollout>, Rollout> = (app, caller, given) =>
  inTenant(app.db, caller.tenantId, async (q) => {
    const { tenantId } = caller;
    const { packageId, byUri = false, rolloutName } = given;
    const found = await packageFor(q, tenantId, { packageId, byUri });
    const { ids } = await chosenDevices(q, tenantId, given);
    const devices = await targetsOf(app, q, tenantId, ids, app.clock.now());
    const { waveSize, failurePercent, minutes } = given;
    const plan = { found, byUri, devices, waveSize, failurePercent, minutes };
    return startIn(q, app, caller, { ...plan, rolloutName });
  });

/** The package, kept until the end of the transaction. Throws NotFound; Unprocessable without an address to fetch it at. */
export async function packageFor(
  q: Queries,
  tenantId: string,
  { packageId, byUri }: { packageId: string; byUri: boolean },
) {
  const found = await hold(q, 'svc_firmware_package', tenantId, packageId);
  if (byUri && found.packageUri === '')
    throw new Unprocessable('The package has no address at which devices can fetch it');
  return found;
}

type Plan = {
  found: Awaited<ReturnType<typeof packageFor>>;
  byUri: boolean;
  devices: readonly Pick<Target, 'deviceId' | 'facts'>[];
  waveSize: number;
  failurePercent: number;
  minutes: number;
  rolloutName?: string | undefined;
  /** Of a proposal that is confirmed: its switches hold the roll-out. */
  proposal?: { actionId: string; proposerId: string; clientId: string };
};

/** Makes a running roll-out in the caller's transaction. Throws Conflict for a device that another one updates. */
export const startIn = (q: Queries, app: App, caller: Caller, plan: Plan): Promise<Rollout> =>
  conflictIfTaken(
    'update',
    make(q, app, caller, plan),
    'A device of it has another firmware update under way',
  );

async function make(
  q: Queries,
  app: App,
  caller: Caller,
  { found, byUri, devices, rolloutName, proposal, ...waved }: Plan,
): Promise<Rollout> {
  const { tenantId } = caller;
  const { packageName, packageVersion, size, sha256 } = found;
  const id = await addRow(q, app, caller, 'svc_firmware_rollout', {
    rolloutName: rolloutName ?? `${packageName} ${packageVersion}`.slice(0, 64),
    packageId: found.id,
    packageName,
    packageVersion,
    size,
    sha256,
    packageUri: byUri ? found.packageUri : '',
    ...waved,
    ...proposal,
    status: 'RUNNING',
    total: devices.length,
  });
  for (let at = 0; at < devices.length; at += AT_ONCE) {
    const some = devices.slice(at, at + AT_ONCE);
    const ids = some.map(({ deviceId }) => deviceId);
    const targets = some.map(({ facts }) => JSON.stringify(facts));
    await sql`
      insert into svc_firmware_update (tenant_id, rollout_id, device_id, update_id, position, target)
      select ${tenantId}, ${id}, d.id, gen_random_uuid(), ${at}::integer + d.place, d.target::jsonb
      from unnest(${ids}::bigint[], ${targets}::text[]) with ordinality as d (id, target, place)`.execute(
      q,
    );
  }
  return Rollout.of(await rowOf(q, 'svc_firmware_rollout', tenantId, id));
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
    .where('status', '=', 'WAITING')
    .execute();
}
