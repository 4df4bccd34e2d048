import type { TopicName } from '../../../../src/bus/topic/topics.ts';
import type { Session } from '../../people/session.ts';

export type Input = Record<string, unknown>;

/** A valid call of a route. */
export type Example = {
  input: Input;
  /** The tenant's admin unless said otherwise. */
  session?: Session;
  /** What it answers, unless 200. */
  status?: number;
  /** The message whose handling ends it, if that is after the answer. */
  until?: TopicName;
};

/** Calls an `add` and answers the new id. */
export type Add = (key: string, more?: Input) => Promise<string>;

/** Makes calls of a route, by its path below `/api/v3`; each can be sent once. */
export type Examples = Record<string, () => Promise<Example>>;
