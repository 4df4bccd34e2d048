import { nameOf } from '../../core/input/flag.ts';
import { statesAllowing, type Transitions } from '../../core/states.ts';
import { CommandStatus, isTerminal } from '../../data/command/command-state.ts';

/** DESIGN.md, Settled questions, Action status. */
export const ACTION_STATUS = {
  PENDING: 0,
  CONFIRMED: 1,
  REJECTED: 2,
  EXECUTED: 3,
  FAILED: 4,
  EXPIRED: 5,
  CANCELLED: 6,
  PARTIALLY_CONFIRMED: 7,
} as const;
export type ActionStatus = keyof typeof ACTION_STATUS;

type ActionEvent = 'confirm' | 'reject' | 'expire' | 'succeed' | 'fail';

const transitions: Transitions<ActionStatus, ActionEvent> = {
  PENDING: { confirm: 'CONFIRMED', reject: 'REJECTED', expire: 'EXPIRED' },
  CONFIRMED: { succeed: 'EXECUTED', fail: 'FAILED' },
  REJECTED: {},
  EXECUTED: {},
  FAILED: {},
  EXPIRED: {},
  CANCELLED: {},
  PARTIALLY_CONFIRMED: { confirm: 'CONFIRMED', reject: 'REJECTED', expire: 'EXPIRED' },
};

/** The stored numbers in which `event` may still happen. */
export const statusesAllowing = (event: ActionEvent): number[] =>
  statesAllowing(transitions, event).map((status) => ACTION_STATUS[status]);

/** What a stored action is by now: time and its command's end count before a sweeper wrote them down. */
export function statusNow(
  stored: { status: number; expireTime: Date; commandStatus: number | null },
  now: number,
): ActionStatus {
  const status = nameOf(ACTION_STATUS, stored.status);
  if ('expire' in transitions[status] && stored.expireTime.getTime() <= now) return 'EXPIRED';
  if (status !== 'CONFIRMED' || stored.commandStatus === null) return status;
  const command = nameOf(CommandStatus, stored.commandStatus);
  if (!isTerminal(command)) return 'CONFIRMED';
  return command === 'SUCCESS' ? 'EXECUTED' : 'FAILED';
}
