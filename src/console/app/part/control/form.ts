import { useRef, useState } from 'preact/hooks';

import { useAct } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import type { AnswerOf, InputOf, Operation } from '../../client/call.ts';
import { useUnsaved } from '../../client/unsaved.ts';
import { type Bound, limitsOf, wrongIn } from './bound.ts';
import { wrongOf } from './loaded.tsx';

type Given<O extends Operation, V> = {
  /** What the fields hold at first, by their names in the operation. */
  fields: V;
  /** What is entered already, e.g. of an earlier version. */
  entered?: Partial<V>;
  /** Fields that may not be empty, beside those that the operation requires. */
  needs?: readonly (keyof V)[];
  /** What is sent; null while it cannot be. */
  input(values: V): InputOf<O> | null;
  done(answer: AnswerOf<O>, values: V): void;
  /** After each answer, a refusal too. */
  ended?(): void;
  refused?(): void;
};

/** An operation whose bounds `npm run types` has found: that of a form. */
type Bounded = Operation & keyof typeof bounds;

/** What is entered for an operation, what is wrong with it, and how it is sent. */
export function useForm<O extends Bounded, V extends object>(operation: O, given: Given<O, V>) {
  const [values, setValues] = useState<V>({ ...given.fields, ...given.entered });
  const [visited, setVisited] = useState<readonly string[]>([]);
  const act = useAct(operation, given.ended);
  const saved = useRef(JSON.stringify(given.fields));
  const isChanged = JSON.stringify(values) !== saved.current;
  useUnsaved(isChanged);
  const known: Readonly<Record<string, Bound>> = bounds[operation];
  const set = (change: Partial<V>): void => setValues((before) => ({ ...before, ...change }));
  const isEmpty = Object.entries(values).some(
    ([name, value]) =>
      value === '' &&
      (known[name]?.required || (given.needs ?? []).some((needed) => needed === name)),
  );
  const input = isEmpty ? null : given.input(values);
  const go = async (): Promise<void> => {
    if (input === null) return;
    const answer = await act.run(input);
    // Many answer nothing, which is no refusal.
    if (answer === null) {
      given.refused?.();
      return;
    }
    saved.current = JSON.stringify(values);
    given.done(answer, values);
  };
  return {
    values,
    set,
    failure: act.failure,
    /** What is entered is not what was there at first, or last saved. */
    isChanged,
    /**
     * Properties of the field `name`, which is `at` in the operation: the server's words for what is wrong with it, or
     * its bounds once another one is entered. One in the field is `unit` in the operation.
     */
    of<K extends keyof V & string>(name: K, at: string = name, unit = 1) {
      const bound = known[at] ?? {};
      const value = values[name];
      // Not when it loses the focus: the words would move a button away from the press that took it.
      const isLeft = visited.slice(0, -1).includes(name);
      const own = isLeft && typeof value === 'string' ? wrongIn(value, bound, unit) : undefined;
      return {
        ...limitsOf(bound, unit),
        value,
        onChange: (entered: V[K]): void =>
          setValues((before) => ({
            ...before,
            [name]: typeof entered === 'string' ? entered.slice(0, bound.longest) : entered,
          })),
        onFocus: (): void => setVisited((before) => [...before, name]),
        wrong: wrongOf(act.failure, at) ?? own,
        autocomplete: 'off',
      };
    },
    /** Properties of its dialog. */
    sends: {
      isRunning: act.isRunning,
      isOff: input === null,
      failure: act.failure,
      onGo: () => void go(),
    },
  };
}
