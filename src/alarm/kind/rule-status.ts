import { statesAllowing, type Transitions } from '../../kernel/states.ts';

/** entity_state_flag (docs/specification/alarms.md, States of a rule). */
export const RuleStatus = { PENDING: 0, FIRING: 1, RECOVERED: 2, CLOSED: 3 } as const;
export type RuleStatus = keyof typeof RuleStatus;

type Event = 'match' | 'fire' | 'lapse' | 'recover' | 'close';

/**
 * The transitions of docs/specification/alarms.md, States of a rule: `match` begins an episode, `fire` raises
 * its alarm, `lapse` ends an episode that never fired, `recover` is the recovery condition, `close` the
 * confirmation of the alarm by a person or a policy.
 */
export const transitions: Transitions<RuleStatus, Event> = {
  PENDING: { fire: 'FIRING', lapse: 'CLOSED' },
  FIRING: { recover: 'RECOVERED', close: 'CLOSED' },
  RECOVERED: { match: 'PENDING', close: 'CLOSED' },
  CLOSED: { match: 'PENDING' },
};

/** The stored numbers of the states in which an event is allowed. */
export const allowing = (event: Event): number[] =>
  statesAllowing(transitions, event).map((state) => RuleStatus[state]);
