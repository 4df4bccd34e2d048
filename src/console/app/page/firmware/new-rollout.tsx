import { useAsk } from '../../client/ask.ts';
import { announce } from '../../part/announce.tsx';
import { Choice, TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { firmwareWords } from '../../word/firmware.ts';

type Given = { packageId: string; name: string; begun(): void; onClose(): void };

const SHOWN = 100;

/** Which devices get a package, and in which steps. */
export function NewRollout({ packageId, name, begun, onClose }: Given) {
  const w = firmwareWords();
  const page = { current: 1, size: SHOWN };
  const groups = useAsk('POST /manager/group/list', { groupTypeFlag: 'DEVICE', page });
  const labels = useAsk('POST /manager/label/list', { entityTypeFlag: 'DEVICE', page });
  const devices = useAsk('POST /manager/device/list', { page });
  const form = useForm('POST /manager/firmware/rollout/start', {
    fields: { target: '', waveSize: '10', failurePercent: '10', minutes: '60' },
    needs: ['target'],
    input: ({ target, waveSize, failurePercent, minutes }) => ({
      packageId,
      ...targetIn(target),
      waveSize: Number(waveSize),
      failurePercent: Number(failurePercent),
      minutes: Number(minutes),
    }),
    done() {
      announce(w.begun(name));
      begun();
      onClose();
    },
  });
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
  const number = { type: 'number', min: '1' } as const;
  return (
    <FormDialog title={w.rollOutTitle(name)} go={w.start} {...form.sends} onClose={onClose}>
      <Choice label={w.devices} {...form.of('target')} options={options} />
      <TextField
        label={w.waveSize}
        hint={w.waveHint}
        {...number}
        max="1000"
        {...form.of('waveSize')}
      />
      <TextField
        label={w.failurePercent}
        hint={w.failureHint}
        {...number}
        max="100"
        {...form.of('failurePercent')}
      />
      <TextField label={w.minutes} {...number} max="10080" {...form.of('minutes')} />
    </FormDialog>
  );
}

function targetIn(target: string) {
  const [kind, id = ''] = target.split(' ');
  if (kind === 'group') return { groupId: id };
  return kind === 'label' ? { labelId: id } : { deviceIds: [id] };
}
