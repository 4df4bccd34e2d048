/** Something to count: `prepare` sets the scene for one go and answers the go. */
export type Call = {
  name: string;
  prepare(): Promise<() => Promise<unknown>>;
  /** A call of the same caller that changes nothing: afterwards all facts about the caller are fresh. */
  touch(): Promise<unknown>;
};
