import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { useAsk } from '../../client/ask.ts';
import { announce } from '../../part/announce.tsx';
import { Choice, TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { firmwareWords } from '../../word/device/firmware.ts';

type Given = { packageId: string; name: string; begun(): void; onClose(): void };

const SHOWN = 100;

/** Which devices get a package, and in which steps. */
export function NewRollout({ packageId, name, begun, onClose }: Given) {
  const w = firmwareWords();
  const page = { current: 1, size: SHOWN };
  const groups = useAsk('POST /manager/group/list', { groupTypeFlag: 'DEVICE', page });
  const labels = useAsk('POST /manager/label/list', { entityTypeFlag: 'DEVICE', page });
  const devices = useAsk('POST /manager/device/list', { page });
  const [target, setTarget] = useState('');
  const [waveSize, setWaveSize] = useState('10');
  const [failurePercent, setFailurePercent] = useState('10');
  const [minutes, setMinutes] = useState('60');
  const act = useAct('POST /manager/firmware/rollout/start');
  const options = [
    ['', w.choose] as const,
    ...(groups.data?.records ?? []).map(
      ({ id, groupName }) => [`group ${id}`, w.ofGroup(groupName)] as const,
    ),
    ...(labels.data?.records ?? []).map(
      ({ id, labelName }) => [`label ${id}`, w.ofLabel(labelName)] as const,
    ),
    ...(devices.data?.records ?? []).map(
      ({ id, deviceName }) => [`device ${id}`, w.ofDevice(deviceName)] as const,
    ),
  ];
  const start = async (): Promise<void> => {
    const [kind, id = ''] = target.split(' ');
    const which =
      kind === 'group' ? { groupId: id } : kind === 'label' ? { labelId: id } : { deviceIds: [id] };
    const steps = {
      waveSize: Number(waveSize),
      failurePercent: Number(failurePercent),
      minutes: Number(minutes),
    };
    if ((await act.run({ packageId, ...which, ...steps })) === null) return;
    announce(w.begun(name));
    begun();
    onClose();
  };
  return (
    <FormDialog
      title={w.rollOutTitle(name)}
      go={w.start}
      isRunning={act.isRunning}
      isOff={target === ''}
      failure={act.failure}
      onGo={() => void start()}
      onClose={onClose}
    >
      <Choice label={w.devices} value={target} onChange={setTarget} options={options} />
      <TextField
        label={w.waveSize}
        hint={w.waveHint}
        type="number"
        min="1"
        max="1000"
        value={waveSize}
        onChange={setWaveSize}
      />
      <TextField
        label={w.failurePercent}
        hint={w.failureHint}
        type="number"
        min="1"
        max="100"
        value={failurePercent}
        onChange={setFailurePercent}
      />
      <TextField
        label={w.minutes}
        type="number"
        min="1"
        max="10080"
        value={minutes}
        onChange={setMinutes}
      />
    </FormDialog>
  );
}
