import { nameOf } from '../../core/input/flag.ts';
import { statesAllowing, type Transitions } from '../../core/states.ts';
import type { CommandEnd } from '../../data/command/facts.ts';
import { commandEnd } from '../../data/command/outcome.ts';
import { CommandStatus, Verification } from '../../data/command/state.ts';

/** docs/specification/actions.md, States of an action. */
export const ACTION_STATUS = {
  PENDING: 0,
  CONFIRMED: 1,
  REJECTED: 2,
  /** The device accepted the write, and the read-back does not contradict it. */
  EXECUTED: 3,
  /** Certainly not executed. */
  FAILED: 4,
  EXPIRED: 5,
  WITHDRAWN: 6,
  PARTIALLY_CONFIRMED: 7,
  /** The write may have happened; a later reading can prove it. */
  UNKNOWN: 8,
  /** The device accepted the write, but the read-back shows another value. */
  MISMATCH: 9,
} as const;
export type ActionStatus = keyof typeof ACTION_STATUS;

type ActionEvent =
  | 'confirm'
  | 'reject'
  | 'expire'
  | 'withdraw'
  | 'renew'
  | 'succeed'
  | 'contradict'
  | 'fail'
  | 'unknown'
  | 'see';

/** Event of a confirmed action for each end of its command, so that both end alike. */
const ends = {
  EXECUTED: 'succeed',
  MISMATCH: 'contradict',
  FAILED: 'fail',
  UNKNOWN: 'unknown',
} as const satisfies Record<CommandEnd, ActionEvent>;

const open = {
  confirm: 'CONFIRMED',
  reject: 'REJECTED',
  expire: 'EXPIRED',
  withdraw: 'WITHDRAWN',
} as const;

/**
 * `renew`: the effect changed between confirmation and dispatch, so the confirmation is void. `see`: a
 * later reading shows that an unknown write happened.
 */
const transitions: Transitions<ActionStatus, ActionEvent> = {
  PENDING: open,
  PARTIALLY_CONFIRMED: open,
  CONFIRMED: {
    renew: 'PENDING',
    succeed: 'EXECUTED',
    contradict: 'MISMATCH',
    fail: 'FAILED',
    unknown: 'UNKNOWN',
  },
  UNKNOWN: { see: 'EXECUTED' },
  REJECTED: {},
  EXECUTED: {},
  FAILED: {},
  EXPIRED: {},
  WITHDRAWN: {},
  MISMATCH: {},
};

/** Stored status numbers in which `event` is allowed. */
export const statusesAllowing = (event: ActionEvent): number[] =>
  statesAllowing(transitions, event).map((status) => ACTION_STATUS[status]);

/** Stored status numbers from which an action takes over `end` from its command. */
export const statusesBefore = (end: CommandEnd): number[] => [
  ...statusesAllowing(ends[end]),
  ...(end === 'EXECUTED' ? statusesAllowing('see') : []),
];

/** True for a status that is final or that only a later reading can change. */
export const isEnd = (status: ActionStatus): boolean =>
  !('confirm' in transitions[status]) && status !== 'CONFIRMED';

export const END_STATUSES = Object.values(ACTION_STATUS).filter((status) =>
  isEnd(nameOf(ACTION_STATUS, status)),
);

/** How a stored command ended; null while it is under way. */
export function endOf(command: { status: number; verification: number }): CommandEnd | null {
  const end = commandEnd(
    nameOf(CommandStatus, command.status),
    nameOf(Verification, command.verification),
  );
  return end === 'UNDERWAY' ? null : end;
}

/** Present status of a stored action: expiry and command end count before the sweeper stores them. */
export function statusNow(
  stored: {
    status: number;
    expireTime: Date;
    commandStatus: number | null;
    commandVerification: number | null;
  },
  now: number,
): ActionStatus {
  const status = nameOf(ACTION_STATUS, stored.status);
  if ('expire' in transitions[status] && stored.expireTime.getTime() <= now) return 'EXPIRED';
  if (stored.commandStatus === null || stored.commandVerification === null) return status;
  const end = endOf({ status: stored.commandStatus, verification: stored.commandVerification });
  return end !== null && statusesBefore(end).includes(stored.status) ? end : status;
}
