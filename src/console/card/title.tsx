import { alarmCardWords } from '../app/word/alarm-card.ts';
import { firmwareCardWords } from '../app/word/firmware-card.ts';
import { onboardingCardWords } from '../app/word/onboarding-card.ts';
import type { Action } from './action.ts';

type Given = {
  action: Pick<Action, 'firmware' | 'alarm' | 'onboarding' | 'pointName' | 'deviceName'>;
};

/** What a proposal is about, in the names that the platform knows. */
export function Title({ action: { firmware, alarm, onboarding, pointName, deviceName } }: Given) {
  if (firmware !== null)
    return (
      <>
        <bdi class="strong">
          {firmware.packageName} {firmware.packageVersion}
        </bdi>{' '}
        · {firmwareCardWords().title(firmware.devices.length)}
      </>
    );
  if (alarm !== null) return <AlarmTitle alarm={alarm} />;
  if (onboarding !== null)
    return (
      <>
        <bdi class="strong">{onboarding.deviceName}</bdi> · {onboardingCardWords().title}
      </>
    );
  return (
    <>
      <bdi class="strong">{pointName}</bdi> · <bdi>{deviceName}</bdi>
    </>
  );
}

function AlarmTitle({ alarm }: { alarm: NonNullable<Action['alarm']> }) {
  const w = alarmCardWords();
  const name =
    alarm.does === 'SILENCE'
      ? alarm.place
      : alarm.does === 'CONFIRM'
        ? w.alarms(alarm.alarms.length)
        : alarm.does === 'MAINTENANCE'
          ? alarm.maintenanceName
          : alarm.ruleName;
  return (
    <>
      <bdi class="strong">{name}</bdi> · {w.title[alarm.does]}
    </>
  );
}
