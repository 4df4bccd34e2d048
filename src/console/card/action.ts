import type { Schemas } from '../app/client/operations.ts';

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
  | 'now'
  | 'proposedValue'
  | 'askedAs'
  | 'limits'
  | 'deadband'
  | 'others'
  | 'rejectedBefore'
  | 'wire'
>;

/** Whether it still waits for a decision. */
export const isOpen = ({ status }: Pick<Action, 'status'>): boolean =>
  status === 'PENDING' || status === 'PARTIALLY_CONFIRMED';

/** Every write of the proposal, in the order in which they are sent; none of firmware or of alarms. */
export function writesOf(action: Action): readonly Write[] {
  if (action.firmware !== null || action.alarm !== null) return [];
  return action.steps.length === 0 ? [action] : action.steps;
}

/** The latest value of the point as far as it was asked for; while the proposal waits, that of its answer. */
export const valueOf = ({ now, currentValue }: Pick<Write, 'now' | 'currentValue'>) =>
  now ? now.value : currentValue;
