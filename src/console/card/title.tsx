import { firmwareCardWords } from '../app/word/firmware-card.ts';
import type { Action } from './action.ts';

type Given = { action: Pick<Action, 'firmware' | 'pointName' | 'deviceName'> };

/** What a proposal is about, in the names that the platform knows. */
export function Title({ action: { firmware, pointName, deviceName } }: Given) {
  if (firmware !== null)
    return (
      <>
        <bdi class="strong">
          {firmware.packageName} {firmware.packageVersion}
        </bdi>{' '}
        · {firmwareCardWords().title(firmware.devices.length)}
      </>
    );
  return (
    <>
      <bdi class="strong">{pointName}</bdi> · <bdi>{deviceName}</bdi>
    </>
  );
}
