import { useState } from 'preact/hooks';

import { removing, useAct } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { navigate } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { AskFirst } from '../../part/control/dialog.tsx';
import { RefusedNote } from '../../part/control/loaded.tsx';
import { devicesWords } from '../../word/devices.ts';

type Given = { device: Schemas['Device']; again(): void };

/** Enables, disables and deletes a device; asks before the last two. */
export function Manage({ device, again }: Given) {
  const w = devicesWords().manage;
  const { id, version, deviceName, enableFlag } = device;
  const [asking, setAsking] = useState<'DISABLE' | 'DELETE' | null>(null);
  const update = useAct('POST /manager/device/update');
  const remove = useAct('POST /manager/device/delete');
  const close = (): void => {
    setAsking(null);
    update.forgive();
    remove.forgive();
  };
  const turn = async (flag: 'ENABLE' | 'DISABLE'): Promise<void> => {
    if ((await update.run({ id, version, enableFlag: flag })) === null) return;
    setAsking(null);
    again();
  };
  const drop = async (): Promise<void> => {
    if ((await removing(() => remove.run({ id }))) === null) return;
    announce(w.gone(deviceName));
    navigate('/devices', { replace: true });
  };
  return (
    <>
      {may('svc-center-manager:device:update') &&
        (enableFlag === 'ENABLE' ? (
          <Button onPress={() => setAsking('DISABLE')}>{w.disable}</Button>
        ) : (
          <Button isBusy={update.isRunning} onPress={() => void turn('ENABLE')}>
            {w.enable}
          </Button>
        ))}
      {may('svc-center-manager:device:delete') && (
        <Button kind="danger" onPress={() => setAsking('DELETE')}>
          {w.remove}
        </Button>
      )}
      {asking === null && <RefusedNote failure={update.failure} />}
      {asking === 'DISABLE' && (
        <AskFirst
          title={w.disableAsk(deviceName)}
          go={w.disable}
          isRunning={update.isRunning}
          failure={update.failure}
          onGo={() => void turn('DISABLE')}
          onClose={close}
        >
          <p>{w.disableMeans}</p>
        </AskFirst>
      )}
      {asking === 'DELETE' && (
        <AskFirst
          title={w.removeAsk(deviceName)}
          go={w.remove}
          isRunning={remove.isRunning}
          failure={remove.failure}
          onGo={() => void drop()}
          onClose={close}
        >
          <p>{w.removeMeans}</p>
        </AskFirst>
      )}
    </>
  );
}
