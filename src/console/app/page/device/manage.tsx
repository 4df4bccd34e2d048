import { removing, useAct } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { navigate } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { RefusedNote } from '../../part/control/loaded.tsx';
import { AskButton } from '../../part/control/opener.tsx';
import { devicesWords } from '../../word/devices.ts';

type Given = { device: Schemas['Device']; again(): void };

/** Enables, disables and deletes a device; asks before the last two. */
export function Manage({ device, again }: Given) {
  const w = devicesWords().manage;
  const { id, version, deviceName, enableFlag } = device;
  const update = useAct('POST /manager/device/update');
  const remove = useAct('POST /manager/device/delete');
  const turn = (flag: 'ENABLE' | 'DISABLE') => update.run({ id, version, enableFlag: flag });
  const enable = async (): Promise<void> => {
    if ((await turn('ENABLE')) !== null) again();
  };
  return (
    <>
      {may('svc-center-manager:device:update') &&
        (enableFlag === 'ENABLE' ? (
          <AskButton
            kind="plain"
            word={w.disable}
            title={w.disableAsk(deviceName)}
            act={update}
            run={() => turn('DISABLE')}
            done={again}
          >
            <p>{w.disableMeans}</p>
          </AskButton>
        ) : (
          <Button isBusy={update.isRunning} onPress={() => void enable()}>
            {w.enable}
          </Button>
        ))}
      {may('svc-center-manager:device:delete') && (
        <AskButton
          title={w.removeAsk(deviceName)}
          act={remove}
          run={() => removing(() => remove.run({ id }))}
          done={() => {
            announce(w.gone(deviceName));
            navigate('/devices', { replace: true });
          }}
        >
          <p>{w.removeMeans}</p>
        </AskButton>
      )}
      {enableFlag === 'DISABLE' && <RefusedNote failure={update.failure} />}
    </>
  );
}
