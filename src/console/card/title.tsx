import { firmwareCardWords } from '../app/word/firmware-card.ts';
import type { Action } from './action.ts';
import { AlarmTitle } from './alarm-card.tsx';

type Given = { action: Pick<Action, 'firmware' | 'alarm' | 'pointName' | 'deviceName'> };

/** What a proposal is about, in the names that the platform knows. */
export function Title({ action: { firmware, alarm, pointName, deviceName } }: Given) {
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
  return (
    <>
      <bdi class="strong">{pointName}</bdi> · <bdi>{deviceName}</bdi>
    </>
  );
}
