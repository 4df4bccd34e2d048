import type { CommandEnd } from '../../../data/command/facts.ts';
import { commandEnd } from '../../../data/command/outcome.ts';
import { CommandStatus, Verification } from '../../../data/command/state.ts';
import { nameOf } from '../../../kernel/input/flag.ts';
import { statesAllowing, type Transitions } from '../../../kernel/states.ts';
import { rolloutEnd, type RolloutRow, rolloutState } from './rollout-state.ts';

/** docs/specification/actions.md, States of an action. */
export const ACTION_STATUS = {
  PENDING: 0,
  CONFIRMED: 1,
  REJECTED: 2,
  /** The device accepted the write, and the read-back does not contradict it. */
  EXECUTED: 3,
  /** Certainly not executed; of several writes: stopped, and what became of each is known. */
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
  | 'see'
  | 'settle';

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
 * later reading shows that an unknown write happened; `settle`: so it does of one at which several writes stopped.
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
  UNKNOWN: { see: 'EXECUTED', settle: 'FAILED' },
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

/**
 * Stored status numbers from which an action takes over `end` from its roll-out: what a device proves later corrects an
 * end that was not certain, and one of several devices can turn out otherwise than another.
 */
export const statusesBeforeRollout = (end: CommandEnd): number[] =>
  [ACTION_STATUS.CONFIRMED, ACTION_STATUS.UNKNOWN, ACTION_STATUS.MISMATCH].filter(
    (status) => status !== ACTION_STATUS[end],
  );

export type ActionEnd = Exclude<ActionStatus, 'PENDING' | 'PARTIALLY_CONFIRMED' | 'CONFIRMED'>;

/** True for a status that is final or that only a later reading can change. */
export const isEnd = (status: ActionStatus): status is ActionEnd =>
  !('confirm' in transitions[status]) && status !== 'CONFIRMED';

export const END_STATUSES = Object.values(ACTION_STATUS).filter((status) =>
  isEnd(nameOf(ACTION_STATUS, status)),
);

/** A stored command, as far as it decides how its action goes on. */
type Ended = { status: number; verification: number; settledTime?: Date | null };

/**
 * How an action ended with its command; null while it is under way. Of several writes (`isLast` false while more are to
 * be sent) it goes on after a verified one only; one that was not read back, or that a reading proved later, had stopped it.
 */
export function endOf(command: Ended, isLast = true): CommandEnd | null {
  const end = commandEnd(
    nameOf(CommandStatus, command.status),
    nameOf(Verification, command.verification),
  );
  if (end === 'UNDERWAY') return null;
  if (isLast || end !== 'EXECUTED') return end;
  return goesOn(command) ? null : 'FAILED';
}

/** Whether the next write may follow this one. */
const goesOn = ({ status, verification, settledTime = null }: Ended): boolean =>
  status === CommandStatus.SUCCESS &&
  verification === Verification.VERIFIED &&
  settledTime === null;

/** Present status of a stored action: expiry and command end count before the sweeper stores them. */
export function statusNow(
  stored: {
    status: number;
    expireTime: Date;
    commandStatus: number | null;
    commandVerification: number | null;
    commandSettled?: Date | null;
    /** Of several writes. */
    steps?: readonly { commandId: string | null }[] | null;
    /** Of firmware. */
    rollout?: RolloutRow | null;
  },
  now: number,
): ActionStatus {
  const status = nameOf(ACTION_STATUS, stored.status);
  const { commandStatus, commandVerification, commandSettled = null, steps = null } = stored;
  if ('expire' in transitions[status] && stored.expireTime.getTime() <= now) return 'EXPIRED';
  if (stored.rollout) {
    const ended = rolloutEnd(rolloutState(stored.rollout));
    return ended !== null && statusesBeforeRollout(ended).includes(stored.status) ? ended : status;
  }
  if (commandStatus === null || commandVerification === null) return status;
  const isLast = steps === null || steps.every(({ commandId }) => commandId !== null);
  const end = endOf(
    { status: commandStatus, verification: commandVerification, settledTime: commandSettled },
    isLast,
  );
  if (end === null) return status;
  const settles = end === 'FAILED' && steps !== null ? statusesAllowing('settle') : [];
  return [...statusesBefore(end), ...settles].includes(stored.status) ? end : status;
}
