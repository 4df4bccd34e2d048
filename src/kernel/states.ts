/** A state machine as data: next state by state and event. The compiler demands every state. */
export type Transitions<State extends string, Event extends string> = Record<
  State,
  Partial<Record<Event, State>>
>;

/** The states in which `event` is allowed, so that one conditional UPDATE can decide a race. */
export function statesAllowing<State extends string, Event extends string>(
  transitions: Transitions<State, Event>,
  event: Event,
): State[] {
  const states: State[] = [];
  for (const state in transitions) if (event in transitions[state]) states.push(state);
  return states;
}
