import type { Schemas } from '../client/operations.ts';

type Action = Schemas['Action'];
type Receipt = Schemas['Receipt'];

/** What a write passes on its way to the device and back. */
type Stage = 'proposed' | 'decided' | 'sent' | 'answered' | 'checked';

export type Passed = {
  stage: Stage;
  /** `stopped`: it ended here; `unknown`: whether it was passed is not known; `skipped`: it ended well without it. */
  is: 'past' | 'present' | 'ahead' | 'stopped' | 'unknown' | 'skipped';
  /** When it was passed, where that is known. */
  at: string | null;
};

const STAGES: readonly Stage[] = ['proposed', 'decided', 'sent', 'answered', 'checked'];

/** The way of a proposal as far as it is known; nothing that is not known counts as passed. */
export function progressOf(
  action: Pick<Action, 'status' | 'createTime' | 'decidedTime' | 'command'>,
): Passed[] {
  const { reached, is } = placeOf(action);
  const times: Partial<Record<Stage, string | null>> = {
    proposed: action.createTime,
    decided: action.decidedTime,
    sent: action.command?.sendTime ?? null,
  };
  return STAGES.map((stage, index) => {
    if (index < reached) return { stage, is: 'past', at: times[stage] ?? null };
    if (index > reached) return { stage, is: 'ahead', at: null };
    return { stage, is, at: null };
  });
}

/** The way of a person's own write, which is its own decision. */
export function progressOfWrite({ outcome, occurTime, ...command }: Receipt): Passed[] {
  const status = outcome === 'UNDERWAY' ? 'CONFIRMED' : outcome;
  return progressOf({ status, createTime: occurTime, decidedTime: occurTime, command }).slice(1);
}

type Place = { reached: number; is: Passed['is'] };

function placeOf({ status, command }: Pick<Action, 'status' | 'command'>): Place {
  const underway = command !== null && command.sendTime !== null ? 3 : 2;
  const places: Record<Action['status'], Place> = {
    PENDING: { reached: 1, is: 'present' },
    PARTIALLY_CONFIRMED: { reached: 1, is: 'present' },
    REJECTED: { reached: 1, is: 'stopped' },
    EXPIRED: { reached: 1, is: 'stopped' },
    WITHDRAWN: { reached: 1, is: 'stopped' },
    CONFIRMED: { reached: underway, is: 'present' },
    FAILED: { reached: underway, is: 'stopped' },
    UNKNOWN: { reached: underway, is: 'unknown' },
    MISMATCH: { reached: 4, is: 'stopped' },
    EXECUTED:
      command?.verification === 'VERIFIED'
        ? { reached: STAGES.length, is: 'past' }
        : { reached: 4, is: 'skipped' },
  };
  return places[status];
}
