import { z } from 'zod';

import { inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { get, post, type Route } from '../../kernel/app/route.ts';
import { pageOfAnswers } from '../../kernel/entity/answer.ts';
import { changeRow } from '../../kernel/entity/change.ts';
import { lockedRow, rowOf } from '../../kernel/entity/row.ts';
import { Conflict } from '../../kernel/errors.ts';
import { ById } from '../../kernel/input/input.ts';
import * as packages from './package.ts';
import * as rollouts from './rollout.ts';
import { Rollout } from './rollout.ts';
import { cancelWaiting, start, StartRollout } from './start.ts';
import * as updates from './update.ts';

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
const pause = moved('PAUSED');
const resume = moved('RUNNING');
/** As `pause`, for good. */
const stop = moved('STOPPED');

const reads = {
  needs: 'firmware:list',
  scope: 'svc:read',
  risk: 'read',
  reason: 'docs/specification/firmware.md',
} as const;
const moves = {
  needs: 'firmware_rollout:update',
  scope: 'interactive',
  risk: 'update',
  reason: 'docs/specification/firmware.md',
  input: ById,
  output: rollouts.Rollout.schema,
} as const;

/** Packages of firmware, and their roll-outs. */
export const routes: readonly Route[] = [
  {
    ...post(
      '/firmware/upload',
      {
        needs: 'firmware:add',
        scope: 'interactive',
        risk: 'add',
        summary: 'Keep a package of firmware: multipart/form-data, part `file`, 16 MiB',
        reason: 'docs/specification/firmware.md',
        input: packages.UploadFirmware,
        output: packages.FirmwarePackage.schema,
      },
      packages.upload,
    ),
    file: packages.MAX_PACKAGE_BYTES,
  },
  post(
    '/firmware/list',
    {
      ...reads,
      summary: 'Answers packages of firmware, newest first',
      input: packages.FirmwareQuery,
      output: pageOfAnswers(packages.FirmwarePackage.schema),
    },
    packages.page,
  ),
  post(
    '/firmware/delete',
    {
      needs: 'firmware:delete',
      scope: 'interactive',
      risk: 'remove',
      summary: 'Deletes a package that no roll-out sends',
      reason: 'docs/specification/firmware.md',
      input: ById,
      output: z.void(),
    },
    packages.remove,
  ),
  post(
    '/firmware/rollout/start',
    {
      needs: 'firmware_rollout:add',
      scope: 'interactive',
      risk: 'device',
      summary: 'Begins to roll a package out to devices, in waves',
      reason: 'docs/specification/firmware.md',
      input: StartRollout,
      output: rollouts.Rollout.schema,
    },
    start,
  ),
  post(
    '/firmware/rollout/pause',
    { ...moves, summary: 'Begins no more devices until it is resumed' },
    pause,
  ),
  post('/firmware/rollout/resume', { ...moves, summary: 'Goes on with a paused roll-out' }, resume),
  post(
    '/firmware/rollout/stop',
    { ...moves, summary: 'Begins no more devices; those under way go on to their end' },
    stop,
  ),
  post(
    '/firmware/rollout/list',
    {
      ...reads,
      summary: 'Answers roll-outs of firmware, newest first',
      input: rollouts.RolloutQuery,
      output: pageOfAnswers(rollouts.RolloutWithCounts),
    },
    rollouts.page,
  ),
  get(
    '/firmware/rollout/get_by_id',
    {
      ...reads,
      summary: 'Answers a roll-out with the numbers of its devices',
      input: ById,
      output: rollouts.RolloutWithCounts,
    },
    rollouts.byId,
  ),
  post(
    '/firmware/rollout/list_devices',
    {
      ...reads,
      summary: 'Answers the devices of a roll-out, with what became of each',
      input: updates.UpdateQuery,
      output: pageOfAnswers(updates.FirmwareUpdate.schema),
    },
    updates.page,
  ),
];
