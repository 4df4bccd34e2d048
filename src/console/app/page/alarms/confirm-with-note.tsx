import { useState } from 'preact/hooks';

import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { sourceOf } from '../../part/confirm-alarm.tsx';
import { Button } from '../../part/control/button.tsx';
import { TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { alarmsWords } from '../../word/alarms.ts';

type Given = { report: Schemas['AlarmReport']; again(): void };

const LONGEST = 200;

/** Confirms an alarm with something to say about it. */
export function ConfirmWithNote({ report, again }: Given) {
  const w = alarmsWords();
  const [isAsking, setAsking] = useState(false);
  const form = useForm('POST /data/dashboard/alert/confirm', {
    fields: { note: '' },
    input: ({ note }) => ({ source: sourceOf(report), id: report.alarmId, note }),
    done() {
      announce(w.confirmedNow(report.ruleName ?? report.message));
      setAsking(false);
      again();
    },
  });
  if (report.confirmed || !may('svc-center-data:alarm:confirm')) return null;
  return (
    <>
      <Button onPress={() => setAsking(true)}>{w.withNote}</Button>
      {isAsking && (
        <FormDialog
          title={w.withNote}
          go={w.confirm}
          {...form.sends}
          onClose={() => setAsking(false)}
        >
          <p>
            <bdi class="strong">{report.ruleName ?? report.message}</bdi>
          </p>
          <TextField label={w.note} {...form.of('note', LONGEST)} />
        </FormDialog>
      )}
    </>
  );
}
