import { useAct } from '../client/act.ts';
import type { Schemas } from '../client/operations.ts';
import { may } from '../client/session.ts';
import { alarmsWords } from '../word/alarms.ts';
import { announce } from './announce.tsx';
import { Button } from './control/button.tsx';
import { messageOf } from './control/loaded.tsx';
import { Mark } from './value/mark.tsx';

export type Given = {
  alarm: Pick<
    Schemas['ListedAlarm'],
    'alarmId' | 'confirmed' | 'pointId' | 'deviceId' | 'ruleName' | 'message'
  >;
  again(): void;
};

const NONE = '0';

/** Which of the three views of alarms has it. */
export const sourceOf = ({ pointId, deviceId }: Pick<Given['alarm'], 'pointId' | 'deviceId'>) =>
  pointId !== NONE ? 'point' : deviceId !== NONE ? 'device' : 'driver';

/** Confirms an alarm: a person has seen it. One that has recovered is closed by it. */
export function Confirm({ alarm, again }: Given) {
  const w = alarmsWords();
  const confirm = useAct('POST /data/dashboard/alert/confirm');
  if (alarm.confirmed || !may('svc-center-data:alarm:confirm')) return null;
  const go = async (): Promise<void> => {
    const done = await confirm.run({ source: sourceOf(alarm), id: alarm.alarmId });
    if (done) announce(w.confirmedNow(alarm.ruleName ?? alarm.message));
    again();
  };
  return (
    <>
      <Button
        isBusy={confirm.isRunning}
        onPress={() => void go()}
        label={`${w.confirm} ${alarm.ruleName ?? alarm.message}`}
      >
        {w.confirm}
      </Button>
      {confirm.failure && (
        <p class="note danger" role="alert">
          <Mark shape="cross" />
          <span>{messageOf(confirm.failure).text}</span>
        </p>
      )}
    </>
  );
}
