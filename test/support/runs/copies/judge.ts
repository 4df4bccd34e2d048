import type { Process } from '../../world/process.ts';

/** Counted from when the killed copy is back (issue: hand-over). */
const HAND_OVER_MS = 5_000;
/** What a command may end with while the node of its device is away; a write that may have happened is UNKNOWN. */
const AWAY = new Set([
  'DEVICE_OFFLINE',
  'NODE_AWAY',
  'NOT_TAKEN',
  'NO_ANSWER',
  'REDELIVERED',
  'DRIVER_RESTARTED',
]);

export type Copy = {
  name: string;
  environment: Record<string, string>;
  process: Process;
  /** When it was killed last, and when it was back. */
  killedAt: number;
  backAt: number;
};
export type Target = {
  deviceId: string;
  read: string;
  write: string;
  /** Null for a device without hardware. */
  copy: Copy | null;
  /** How often the device was told a value. */
  told: Map<string, number> | null;
};
export type Ended = {
  kind: 'read' | 'write';
  value: string;
  status: string;
  errorCode: string;
  target: Target;
  from: number;
  to: number;
};

/** Why this end is wrong, or null. */
export function judge(
  { kind, value, status, errorCode, target, from, to }: Ended,
  copies: readonly Copy[],
): string | null {
  const what = `${kind} ${value} of ${target.deviceId}: ${status} ${errorCode}`;
  const wasAway = copies.some(
    ({ killedAt, backAt }) => killedAt <= to && from <= backAt + HAND_OVER_MS,
  );
  const times = target.told?.get(value) ?? 0;
  if (times > 1) return `${what}: written ${times} times`;
  if (kind === 'write' && target.told && status === 'SUCCESS' && times === 0)
    return `${what}: never written`;
  if (['FAILED', 'EXPIRED'].includes(status) && times > 0) return `${what}: written`;
  if (status === 'SUCCESS') return null;
  return wasAway && AWAY.has(errorCode) ? null : what;
}
