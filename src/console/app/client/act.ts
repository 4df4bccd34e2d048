import { useState } from 'preact/hooks';

import { type AnswerOf, call, type InputOf, type Operation } from './call.ts';
import { type Failure, failureOf } from './failure.ts';

export type Running<O extends Operation> = {
  /** Calls it once at a time; null when it was refused or already runs. */
  run(input: InputOf<O>): Promise<AnswerOf<O> | null>;
  isRunning: boolean;
  /** Of the last call. */
  answer: AnswerOf<O> | null;
  failure: Failure | null;
  forgive(): void;
};

/** An operation that changes something, called when the person says so. */
export function useAct<O extends Operation>(operation: O): Running<O> {
  const [isRunning, setRunning] = useState(false);
  const [answer, setAnswer] = useState<AnswerOf<O> | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  return {
    isRunning,
    answer,
    failure,
    forgive: () => setFailure(null),
    async run(input) {
      if (isRunning) return null;
      setRunning(true);
      setFailure(null);
      try {
        const given = await call(operation, input);
        setAnswer(given);
        return given;
      } catch (error) {
        setFailure(failureOf(error));
        return null;
      } finally {
        setRunning(false);
      }
    },
  };
}
