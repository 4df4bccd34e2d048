import { useState } from 'preact/hooks';

import { useAct } from '../../client/ask.ts';
import type { AnswerOf, InputOf, Operation } from '../../client/call.ts';
import { wrongOf } from './loaded.tsx';

type Given<O extends Operation, V> = {
  /** What the fields hold at first, by their names in the operation. */
  fields: V;
  /** Fields that may not be empty. */
  needs?: readonly (keyof V)[];
  /** What is sent; null while it cannot be. */
  input(values: V): InputOf<O> | null;
  done(answer: AnswerOf<O>, values: V): void;
  /** After each answer, a refusal too. */
  ended?(): void;
};

/** What is entered for an operation, what the server says is wrong with it, and how it is sent. */
export function useForm<O extends Operation, V extends object>(operation: O, given: Given<O, V>) {
  const [values, setValues] = useState(given.fields);
  const act = useAct(operation, given.ended);
  const set = (change: Partial<V>): void => setValues((before) => ({ ...before, ...change }));
  const isEmpty = (given.needs ?? []).some((name) => values[name] === '');
  const input = isEmpty ? null : given.input(values);
  const go = async (): Promise<void> => {
    if (input === null) return;
    const answer = await act.run(input);
    // Many answer nothing, which is no refusal.
    if (answer !== null) given.done(answer, values);
  };
  return {
    values,
    set,
    failure: act.failure,
    /** Properties of the field `name`; of a text that is cut after `most` characters. */
    of: <K extends keyof V & string>(name: K, most?: number) => ({
      value: values[name],
      onChange: (value: V[K]): void =>
        setValues((before) => ({
          ...before,
          [name]: typeof value === 'string' ? value.slice(0, most) : value,
        })),
      wrong: wrongOf(act.failure, name),
      autocomplete: 'off',
    }),
    /** Properties of its dialog. */
    sends: {
      isRunning: act.isRunning,
      isOff: input === null,
      failure: act.failure,
      onGo: () => void go(),
    },
  };
}
