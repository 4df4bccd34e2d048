import { inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { changeRow } from '../../kernel/entity/change.ts';
import { lockedRow, rowOf } from '../../kernel/entity/row.ts';
import { Conflict } from '../../kernel/errors.ts';
import type { ById } from '../../kernel/input/input.ts';
import { Rollout } from './rollout.ts';
import { cancelWaiting } from './start.ts';

/** What a person may make of a roll-out, and from which status. */
const MOVES = {
  PAUSED: ['RUNNING'],
  RUNNING: ['PAUSED'],
  STOPPED: ['RUNNING', 'PAUSED'],
} as const satisfies Partial<Record<Rollout['status'], readonly Rollout['status'][]>>;

const moved =
  (status: keyof typeof MOVES): Operation<ById, Rollout> =>
  (app, caller, { id }) =>
    inTenant(app.db, caller.tenantId, async (q) => {
      const { tenantId } = caller;
      const row = await lockedRow(q, 'svc_firmware_rollout', tenantId, id);
      const from: readonly Rollout['status'][] = MOVES[status];
      if (!from.includes(row.status))
        throw new Conflict(`The roll-out is ${row.status}`, { status: row.status });
      const endTime = new Date(app.clock.now());
      const ended = status === 'STOPPED' ? { endTime, why: `${caller.name} stopped it` } : {};
      const change = { id, status, ...ended };
      await changeRow(q, app, caller, 'svc_firmware_rollout', change);
      if (status === 'STOPPED') await cancelWaiting(q, { tenantId, id, endTime });
      return Rollout.of(await rowOf(q, 'svc_firmware_rollout', tenantId, id));
    });

/** Begins no more devices; those under way go on to their end. Throws NotFound, Conflict. */
export const pause = moved('PAUSED');
export const resume = moved('RUNNING');
/** As `pause`, for good. */
export const stop = moved('STOPPED');
