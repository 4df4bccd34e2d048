import { nameOf } from '../../core/input/flag.ts';
import { statesAllowing, type Transitions } from '../../core/states.ts';
import { type CommandEnd, commandEnd } from '../../data/command/outcome.ts';
import { CommandStatus, Verification } from '../../data/command/state.ts';

/** docs/specification/actions.md, States of an action. */
export const ACTION_STATUS = {
  PENDING: 0,
  CONFIRMED: 1,
  REJECTED: 2,
  /** The device said yes, and what was read back does not contradict it. */
  EXECUTED: 3,
  /** Certainly not done. */
  FAILED: 4,
  EXPIRED: 5,
  WITHDRAWN: 6,
  PARTIALLY_CONFIRMED: 7,
  /** It may have happened; open to evidence. */
  UNKNOWN: 8,
  /** The device said yes, but holds another value. */
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
  | 'doubt'
  | 'see';

/** What the end of a command does to a confirmed action, so that both end alike. */
const ends = {
  EXECUTED: 'succeed',
  MISMATCH: 'contradict',
  FAILED: 'fail',
  UNKNOWN: 'doubt',
} as const satisfies Record<CommandEnd, ActionEvent>;

const open = {
  confirm: 'CONFIRMED',
  reject: 'REJECTED',
  expire: 'EXPIRED',
  withdraw: 'WITHDRAWN',
} as const;

/**
 * `renew`: the world changed between confirmation and dispatch, the confirmation is void. `see`: a
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
    doubt: 'UNKNOWN',
  },
  UNKNOWN: { see: 'EXECUTED' },
  REJECTED: {},
  EXECUTED: {},
  FAILED: {},
  EXPIRED: {},
  WITHDRAWN: {},
  MISMATCH: {},
};

/** The stored numbers in which `event` may still happen. */
export const statusesAllowing = (event: ActionEvent): number[] =>
  statesAllowing(transitions, event).map((status) => ACTION_STATUS[status]);

/** The stored numbers from which a command that ended so leads to that end of its action. */
export const statusesBefore = (end: CommandEnd): number[] => [
  ...statusesAllowing(ends[end]),
  ...(end === 'EXECUTED' ? statusesAllowing('see') : []),
];

/** True where a later event may only be a reading, or none: what is told of it is told once. */
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

/** What a stored action is by now: time and its command's end count before a sweeper wrote them down. */
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
