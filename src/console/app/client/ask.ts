import { signal } from '@preact/signals';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { type AnswerOf, call, type InputOf, onReached, type Operation } from './call.ts';
import { type Failure, failureOf, isUnanswered } from './failure.ts';

/** What a page knows of an answer: the last one stays while the next is asked for. */
export type Asked<T> = {
  data: T | null;
  failure: Failure | null;
  isLoading: boolean;
  /** Asks again; what is shown stays until the answer comes. */
  again(): void;
};

/** Answers of this session, the latest last: a page that was seen before shows them at once and asks again. */
// Kept under the key of its operation, which the types do not know.
// oxlint-disable-next-line typescript/no-explicit-any
const known = new Map<string, any>();
const KNOWN = 60;

const renewals = signal(0);

/** Asks for everything that is shown once more: a session began, or its rights changed. */
export const renew = (): void => void (renewals.value += 1);

const returns = signal(0);
onReached(() => void (returns.value += 1));

/** Forgets every answer: another person may come. */
export const forget = (): void => known.clear();

let removals = 0;

/**
 * While `remove` removes what the page shows, nothing is asked: the answer could be that it is not there. It answers
 * null where that was refused, and what is shown is asked for once more.
 */
export async function removing<T>(remove: () => Promise<T | null>): Promise<T | null> {
  removals += 1;
  try {
    const removed = await remove();
    if (removed === null) renew();
    return removed;
  } finally {
    removals -= 1;
  }
}

function remember(key: string, data: unknown): void {
  known.delete(key);
  known.set(key, data);
  const [oldest] = known.keys();
  if (known.size > KNOWN && oldest !== undefined) known.delete(oldest);
}

/** Asks an operation while the component is there; null asks nothing yet. A changed input asks anew. */
export function useAsk<O extends Operation>(
  operation: O,
  input: InputOf<O> | null,
): Asked<AnswerOf<O>> {
  const key = input === null ? null : `${operation} ${JSON.stringify(input)}`;
  const [state, setState] = useState(() => begun<AnswerOf<O>>(key));
  const [turn, setTurn] = useState(0);
  const latest = useRef(input);
  latest.current = input;
  useEffect(() => {
    const asked = latest.current;
    if (key === null || asked === null || removals > 0) return undefined;
    setState((before) =>
      before.key === key ? { ...before, isLoading: true } : begun<AnswerOf<O>>(key),
    );
    const stop = new AbortController();
    const begunAt = returns.peek();
    const ask = async (): Promise<void> => {
      try {
        const data = await call(operation, asked, stop.signal);
        remember(key, data);
        setState({ key, data, failure: null, isLoading: false });
      } catch (error) {
        if (stop.signal.aborted) return;
        const failure = failureOf(error);
        // The line was cut and is back since: what was on its way then is asked for again.
        if (isUnanswered(failure) && returns.peek() !== begunAt) setTurn((count) => count + 1);
        else setState((before) => ({ ...before, key, failure, isLoading: false }));
      }
    };
    void ask();
    return () => stop.abort();
  }, [key, turn, renewals.value]);
  const isLost = state.failure !== null && isUnanswered(state.failure);
  useEffect(() => {
    if (isLost) setTurn((count) => count + 1);
  }, [returns.value]);
  const again = useCallback(() => setTurn((count) => count + 1), []);
  const { data, failure, isLoading } = state.key === key ? state : begun<AnswerOf<O>>(key);
  return { data, failure, isLoading, again };
}

type Begun<T> = { key: string | null; data: T | null; failure: Failure | null; isLoading: boolean };

function begun<T>(key: string | null): Begun<T> {
  const data: T | null = (key === null ? null : known.get(key)) ?? null;
  return { key, data, failure: null, isLoading: key !== null };
}

export type Running<O extends Operation> = {
  /** Calls it once at a time; null when it was refused or already runs. */
  run(input: InputOf<O>): Promise<AnswerOf<O> | null>;
  isRunning: boolean;
  /** Of the last call. */
  answer: AnswerOf<O> | null;
  failure: Failure | null;
  forgive(): void;
};

/** An operation that changes something, called when the person says so; `ended` after each answer, a refusal too. */
export function useAct<O extends Operation>(operation: O, ended?: () => void): Running<O> {
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
        ended?.();
      }
    },
  };
}
