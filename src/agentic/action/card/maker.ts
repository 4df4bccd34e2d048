import type { App, Caller } from '../../../app.ts';
import { type CheckedWrite, checkWrite } from '../../../data/command/write-check.ts';
import { latestOf } from '../../../data/value/point-value.ts';
import type { Queries } from '../../../db/connect.ts';
import { stateOf, statusOf } from '../../../manager/device/state.ts';
import { EntityType } from '../../../manager/group/entity-type.ts';
import { deadbandOf } from '../../../manager/profile/deadband.ts';
import type { Card } from './card.ts';
import { factsOf } from './effect.ts';
import { otherWritesOf } from './other-writes.ts';
import { rejectedFor, rejectionOf } from './rejected-before.ts';

/** docs/specification/limits.md, Pending action. */
const ACTION_LIFE_MS = 600_000;

type Wanted = {
  actionId: string;
  deviceId: string;
  pointId: string;
  value: string;
  reason: string;
  now: number;
};

/** Checks a write and makes its card from the present state; throws like `checkWrite`. */
export async function makeCard(
  app: App,
  q: Queries,
  caller: Pick<Caller, 'tenantId' | 'principalId' | 'name'>,
  { actionId, reason, now, ...wanted }: Wanted,
): Promise<{ card: Card; checked: CheckedWrite }> {
  const { tenantId } = caller;
  const { deviceId, pointId } = wanted;
  const [checked, latest, state, others, rejected] = await Promise.all([
    checkWrite(q, tenantId, wanted),
    latestOf(q, tenantId, deviceId, pointId),
    stateOf(q, tenantId, EntityType.DEVICE, deviceId, now),
    otherWritesOf(q, { tenantId, deviceId, pointId }, { actionId, now }),
    rejectedFor(q, { tenantId, deviceId, pointId }, now),
  ]);
  const { device, point, value } = checked;
  const hasLimits = point.minValue !== null || point.maxValue !== null;
  const currentValue = latest?.calValue ?? null;
  const card: Card = {
    version: 1,
    actionId,
    tenantId,
    proposerId: caller.principalId,
    proposerName: caller.name,
    deviceId: device.id,
    deviceName: device.deviceName,
    deviceCode: device.deviceCode,
    deviceStatus: statusOf(state),
    offlineSince:
      statusOf(state) === 'offline' ? (state?.offlineSince?.toISOString() ?? null) : null,
    pointId: point.id,
    pointName: point.pointName,
    pointCode: point.pointCode,
    unit: point.unit,
    currentValue,
    currentTime: latest?.createTime ?? null,
    proposedValue: value,
    reason,
    limits: {
      min: point.minValue,
      max: point.maxValue,
      verdict: hasLimits ? 'WITHIN' : 'NONE_SET',
    },
    expiresAt: new Date(now + ACTION_LIFE_MS).toISOString(),
    deadband: deadbandOf(point, currentValue),
    effect: factsOf(checked, app.keys.confirmation),
    others,
    rejectedBefore: rejectionOf(rejected, value),
    changes: [],
  };
  return { card, checked };
}
