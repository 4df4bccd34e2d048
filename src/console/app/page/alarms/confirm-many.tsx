import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { useAct, useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import type { InputOf } from '../../client/call.ts';
import { announce } from '../../part/announce.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { Loaded } from '../../part/control/loaded.tsx';
import { alarmsWords } from '../../word/alarms.ts';

type Which = InputOf<'POST /data/dashboard/alert/to_confirm'>;
type Given = { onClose(): void; again(): void };

const LONGEST = bounds['POST /data/dashboard/alert/confirm_all'].note.longest;
/** Calls of one press: each confirms 500 alarms at most. */
const MAX_CALLS = 20;

/** Asks before alarms are confirmed that are named or that the list finds, with their number. */
export function ConfirmWhich({ which, ...given }: Given & { which: Which }) {
  const asked = useAsk('POST /data/dashboard/alert/to_confirm', which);
  return (
    <Asking
      {...given}
      input={asked.data?.upTo ? { ...which, upTo: asked.data.upTo } : null}
      count={
        <Loaded asked={asked} rows={1}>
          {({ alarms, more }) => <p class="strong">{alarmsWords().many.count(alarms, more)}</p>}
        </Loaded>
      }
    />
  );
}

/** Asks before an outage is confirmed with what it explains. */
export const ConfirmCause = ({
  causeId,
  explains,
  ...given
}: Given & { causeId: string; explains: number }) => (
  <Asking
    {...given}
    input={{ causeId }}
    count={<p class="strong">{alarmsWords().many.count(explains + 1, explains === MAX_COUNT)}</p>}
  />
);

/** What is explained is counted so far. */
const MAX_COUNT = 500;

type AskingGiven = Given & {
  input: InputOf<'POST /data/dashboard/alert/confirm_all'> | null;
  count: ComponentChildren;
};

function Asking({ input, count, onClose, again }: AskingGiven) {
  const w = alarmsWords();
  const confirm = useAct('POST /data/dashboard/alert/confirm_all');
  const [note, setNote] = useState('');
  const go = async (): Promise<void> => {
    let confirmed = 0;
    for (let calls = 0; calls < MAX_CALLS; calls += 1) {
      const answer = await confirm.run({ ...input, ...(note !== '' && { note }) });
      if (answer === null) return;
      confirmed += answer.confirmed;
      if (!answer.more || answer.confirmed === 0) break;
    }
    announce(w.many.done(confirmed));
    onClose();
    again();
  };
  return (
    <FormDialog
      title={w.many.title}
      go={w.confirm}
      isRunning={confirm.isRunning}
      isOff={input === null}
      failure={confirm.failure}
      onGo={() => void go()}
      onClose={onClose}
    >
      {count}
      <p>{w.many.means}</p>
      <TextField label={w.note} value={note} onChange={(text) => setNote(text.slice(0, LONGEST))} />
    </FormDialog>
  );
}
