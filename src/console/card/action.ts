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

/** Whether it is of values: one write, or several as one. */
export const isWrite = ({ kind }: Pick<Action, 'kind'>): boolean =>
  kind === 'write' || kind === 'plan';

/** Every write of the proposal, in the order in which they are sent; none of another kind. */
export function writesOf(action: Action): readonly Write[] {
  if (!isWrite(action)) return [];
  return action.steps.length === 0 ? [action] : action.steps;
}

/** The latest value of the point as far as it was asked for; while the proposal waits, that of its answer. */
export const valueOf = ({ now, currentValue }: Pick<Write, 'now' | 'currentValue'>) =>
  now ? now.value : currentValue;
