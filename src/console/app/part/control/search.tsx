import { useEffect, useRef, useState } from 'preact/hooks';

import { query, setQuery } from '../../client/route.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';

const PAUSE_MS = 200;

/** What is entered, once nothing more is for a while. */
export function useRested<T>(given: T, pauseMs = PAUSE_MS): T {
  const [rested, setRested] = useState<T>(given);
  useEffect(() => {
    const timer = setTimeout(() => setRested(() => given), pauseMs);
    return () => clearTimeout(timer);
  }, [JSON.stringify(given)]);
  return rested;
}

type Given = {
  label: string;
  /** The parameter of the address that holds it. */
  name: string;
  /** The parameter that holds the page, which begins anew. */
  page?: string;
};

/** A text that narrows a list; it is in the address once the keys rest. */
export function Search({ label, name, page }: Given) {
  const given = query.value.get(name) ?? '';
  const [text, setText] = useState(given);
  const sent = useRef(given);
  const pending = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(pending.current), []);
  // Another address is shown, by Back or a saved view; what is typed meanwhile is not replaced by what it sent itself.
  useEffect(() => {
    if (given !== sent.current) setText(given);
    sent.current = given;
  }, [given]);
  const inAddress = () => query.peek().get(name) ?? '';
  const enter = (entered: string) => {
    const before = inAddress();
    setText(entered);
    clearTimeout(pending.current);
    pending.current = setTimeout(() => {
      // Back or a saved view chose another text since then.
      if (inAddress() !== before || entered === before) return;
      sent.current = entered;
      setQuery({ [name]: entered, ...(page !== undefined && { [page]: null }) });
    }, PAUSE_MS);
  };
  return <TextField label={label} type="search" value={text} onChange={enter} />;
}

type TabsGiven<T extends string> = Given & {
  value: T;
  /** The first is that of an address without the parameter. */
  options: readonly (readonly [value: T, label: string])[];
};

/** Buttons for the parts of a list, of which one is shown; which one is in the address. */
export const Tabs = <T extends string>({ label, name, page, value, options }: TabsGiven<T>) => (
  <div class="row" role="group" aria-label={label}>
    {options.map(([each, text], index) => {
      const choice = { [name]: index === 0 ? null : each };
      const anew = page === undefined ? {} : { [page]: null };
      return (
        <Button
          key={each}
          isPressed={each === value}
          onPress={() => setQuery({ ...choice, ...anew }, false)}
        >
          {text}
        </Button>
      );
    })}
  </div>
);
