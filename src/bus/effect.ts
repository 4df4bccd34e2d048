import { createHash } from 'node:crypto';

import { canonicalJson } from '../kernel/canonical-json.ts';
import type { AttributeType, Payload } from './topic/topics.ts';

type Metadata = Extract<Payload<'svc.e.metadata'>, { kind: 'device' }>;
type Device = Pick<Metadata['device'], 'id' | 'configs'>;
type Point = Pick<
  Metadata['device']['points'][number],
  'id' | 'rw' | 'base' | 'multiple' | 'decimals' | 'configs'
> & { type: AttributeType };

/** Everything that decides the bytes of a write: target, scaling and encoding. */
export type WriteEffect = {
  tenantId: string;
  driverId: string;
  driverCode: string;
  device: Device;
  point: Point;
  /** In the point's own unit. */
  value: string;
};

/**
 * SHA-256 (hex) of a write's effect. The platform computes it from the database when the write is allowed
 * and again when it is sent, the driver host from its own metadata before the write; on any difference
 * nothing is written.
 */
export function effectDigest(effect: WriteEffect): string {
  const { tenantId, driverId, driverCode, device, point, value } = effect;
  const { id: deviceId, configs: deviceConfigs } = device;
  const { id: pointId, configs: pointConfigs, type, rw, base, multiple, decimals } = point;
  const covered = [
    [tenantId, driverId, driverCode, deviceId, pointId, type, rw, value],
    [base, multiple, decimals],
    deviceConfigs,
    pointConfigs,
  ];
  return createHash('sha256').update(canonicalJson(covered)).digest('hex');
}
