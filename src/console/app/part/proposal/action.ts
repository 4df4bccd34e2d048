import type { Schemas } from '../../client/operations.ts';

export type Action = Schemas['Action'];
export type Step = Action['steps'][number];
/** One write of a proposal, as its card shows it. */
export type Write = Pick<
  Action,
  | 'deviceId'
  | 'deviceName'
  | 'deviceCode'
  | 'deviceStatus'
  | 'offlineSince'
  | 'pointId'
  | 'pointName'
  | 'pointCode'
  | 'unit'
  | 'currentValue'
  | 'currentTime'
  | 'proposedValue'
  | 'limits'
  | 'deadband'
  | 'others'
  | 'rejectedBefore'
  | 'wire'
>;

/** Whether it still waits for a decision. */
export const isOpen = ({ status }: Pick<Action, 'status'>): boolean =>
  status === 'PENDING' || status === 'PARTIALLY_CONFIRMED';

/** Every write of the proposal, in the order in which they are sent; none of firmware or of a command. */
export function writesOf(action: Action): readonly Write[] {
  if (action.firmware !== null || action.call !== null) return [];
  return action.steps.length === 0 ? [action] : action.steps;
}
