import { useAct } from '../../client/ask.ts';
import { now, ticking } from '../../client/clock.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { RefusedNote } from '../../part/control/loaded.tsx';
import { Opener } from '../../part/control/opener.tsx';
import { Note } from '../../part/value/mark.tsx';
import { Ago, Moment } from '../../part/value/time.tsx';
import { alarmsWords } from '../../word/alarms.ts';

type Report = Schemas['AlarmReport'];
type Given = { report: Report; again(): void };

const HOUR_MS = 3_600_000;
const HOURS = ['1', '4', '8', '24', '72', '168'] as const;
const FIRST: { hours: (typeof HOURS)[number]; reason: string } = { hours: '1', reason: '' };

/** The silence of an alarm, unless its time is up. */
const silenceOf = ({ silenced }: Report): Report['silenced'] =>
  silenced !== null && Date.parse(silenced.until) > ticking.value ? silenced : null;

/** That notifications are held back: until when, by whom and why. */
export function Silenced({ report }: Pick<Given, 'report'>) {
  const w = alarmsWords().silence;
  const silence = silenceOf(report);
  if (!silence) return null;
  return (
    <Note tone="warning" shape="bar" role="status">
      <span class="strong">
        {w.is} <Moment at={silence.until} /> (<Ago at={silence.until} />
        ).
      </span>{' '}
      {w.by} <bdi>{silence.by}</bdi>
      {silence.reason !== '' && (
        <>
          {': '}
          <bdi>{silence.reason}</bdi>
        </>
      )}
    </Note>
  );
}

/** Holds the notifications of an alarm back for a time, or ends that. */
export function Silence({ report, again }: Given) {
  const w = alarmsWords().silence;
  const end = useAct('POST /data/dashboard/alert/unsilence', again);
  if (!may('svc-center-data:alarm:confirm') || report.state === null) return null;
  if (!silenceOf(report))
    return (
      <Opener word={w.begin}>
        {(close) => <Asking report={report} again={again} onClose={close} />}
      </Opener>
    );
  const stop = async (): Promise<void> => {
    if (await end.run({ id: report.alarmId })) announce(w.ended);
  };
  return (
    <>
      <Button isBusy={end.isRunning} onPress={() => void stop()}>
        {w.end}
      </Button>
      <RefusedNote failure={end.failure} />
    </>
  );
}

function Asking({ report, again, onClose }: Given & { onClose(): void }) {
  const w = alarmsWords().silence;
  const form = useForm('POST /data/dashboard/alert/silence', {
    fields: FIRST,
    input: ({ hours, reason }) => ({
      id: report.alarmId,
      until: new Date(now() + Number(hours) * HOUR_MS).toISOString(),
      reason,
    }),
    done() {
      announce(w.begun);
      onClose();
      again();
    },
  });
  return (
    <FormDialog title={w.title} go={w.begin} {...form.sends} onClose={onClose}>
      <p>
        <bdi class="strong">{report.ruleName ?? report.message}</bdi>
      </p>
      <p>{w.means}</p>
      <Choice
        label={w.time}
        {...form.of('hours')}
        options={HOURS.map((each) => [each, w.hours(Number(each))] as const)}
      />
      <TextField label={w.reason} {...form.of('reason')} />
    </FormDialog>
  );
}
