import { useState } from 'preact/hooks';

import { useAct } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { messageOf } from '../../part/control/loaded.tsx';
import { Note } from '../../part/value/mark.tsx';
import { alarmsWords } from '../../word/alarms.ts';

type Given = {
  alarm: Pick<
    Schemas['ListedAlarm'],
    'alarmId' | 'confirmed' | 'pointId' | 'deviceId' | 'ruleName' | 'message'
  >;
  again(): void;
  /** What its page is for. */
  isMain?: boolean;
};

const NONE = '0';

/** Which of the three views of alarms has it. */
const sourceOf = ({ pointId, deviceId }: Pick<Given['alarm'], 'pointId' | 'deviceId'>) =>
  pointId !== NONE ? 'point' : deviceId !== NONE ? 'device' : 'driver';

/** Confirms an alarm: a person has seen it. One that has recovered is closed by it. */
export function Confirm({ alarm, again, isMain = false }: Given) {
  const w = alarmsWords();
  const confirm = useAct('POST /data/dashboard/alert/confirm', again);
  if (alarm.confirmed || !may('svc-center-data:alarm:confirm')) return null;
  const go = async (): Promise<void> => {
    const done = await confirm.run({ source: sourceOf(alarm), id: alarm.alarmId });
    if (done) announce(w.confirmedNow(alarm.ruleName ?? alarm.message));
  };
  return (
    <>
      <Button
        kind={isMain ? 'primary' : 'plain'}
        isBusy={confirm.isRunning}
        onPress={() => void go()}
        label={`${w.confirm} ${alarm.ruleName ?? alarm.message}`}
      >
        {w.confirm}
      </Button>
      {confirm.failure && (
        <Note tone="danger" shape="cross" role="alert">
          {messageOf(confirm.failure).text}
        </Note>
      )}
    </>
  );
}

type NoteGiven = { report: Schemas['AlarmReport']; again(): void };

/** Confirms an alarm with something to say about it. */
export function ConfirmWithNote({ report, again }: NoteGiven) {
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
          <TextField label={w.note} {...form.of('note')} />
        </FormDialog>
      )}
    </>
  );
}
