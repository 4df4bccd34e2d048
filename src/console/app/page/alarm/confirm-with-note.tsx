import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { sourceOf } from '../../part/confirm-alarm.tsx';
import { Button } from '../../part/control/button.tsx';
import { TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { wrongOf } from '../../part/loaded.tsx';
import { may } from '../../session/session.ts';
import { alarmsWords } from '../../word/alarm/alarms.ts';

type Given = { report: Schemas['AlarmReport']; again(): void };

const LONGEST = 200;

/** Confirms an alarm with something to say about it. */
export function ConfirmWithNote({ report, again }: Given) {
  const w = alarmsWords();
  const [isAsking, setAsking] = useState(false);
  const [note, setNote] = useState('');
  const confirm = useAct('POST /data/dashboard/alert/confirm');
  if (report.confirmed || !may('svc-center-data:alarm:confirm')) return null;
  const go = async (): Promise<void> => {
    const done = await confirm.run({ source: sourceOf(report), id: report.alarmId, note });
    if (!done) return;
    announce(w.confirmedNow(report.ruleName ?? report.message));
    setAsking(false);
    again();
  };
  return (
    <>
      <Button onPress={() => setAsking(true)}>{w.withNote}</Button>
      {isAsking && (
        <FormDialog
          title={w.withNote}
          go={w.confirm}
          isRunning={confirm.isRunning}
          failure={confirm.failure}
          onGo={() => void go()}
          onClose={() => setAsking(false)}
        >
          <p>
            <bdi class="strong">{report.ruleName ?? report.message}</bdi>
          </p>
          <TextField
            label={w.note}
            value={note}
            onChange={(text) => setNote(text.slice(0, LONGEST))}
            wrong={wrongOf(confirm.failure, 'note')}
          />
        </FormDialog>
      )}
    </>
  );
}
