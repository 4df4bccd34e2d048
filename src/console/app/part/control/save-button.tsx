import { useState } from 'preact/hooks';

import { type InputOf, type Operation, save } from '../../client/call.ts';
import { type Failure, failureOf } from '../../client/failure.ts';
import { Button } from './button.tsx';
import { RefusedNote } from './loaded.tsx';

type Given<O extends Operation> = {
  operation: O;
  input: InputOf<O> | null;
  /** Of the file. */
  name: string;
  children: string;
};

/** Saves what an operation answers as a file; without an input it rests. */
export function SaveButton<O extends Operation>({ operation, input, name, children }: Given<O>) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const go = async (): Promise<void> => {
    if (input === null) return;
    setBusy(true);
    setFailure(null);
    await save(operation, input, name).catch((error: unknown) => setFailure(failureOf(error)));
    setBusy(false);
  };
  return (
    <>
      <Button isBusy={isBusy} isOff={input === null} onPress={() => void go()}>
        {children}
      </Button>
      <RefusedNote failure={failure} />
    </>
  );
}
