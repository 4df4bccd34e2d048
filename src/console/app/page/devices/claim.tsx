import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { Choice, TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { Loaded } from '../../part/control/loaded.tsx';
import { navigate } from '../../route/route.ts';
import { waitingWords } from '../../word/waiting.ts';

type Given = { one: Schemas['WaitingEndpoint']; changed(): void; onClose(): void };

const SHOWN = 100;

/** Makes an endpoint that of the device whose key it proved, of a present device or of a new one. */
export function Claim({ one, changed, onClose }: Given) {
  const w = waitingWords();
  const { id, endpoint, proven } = one;
  const drivers = useAsk(
    'POST /manager/driver/list',
    proven ? null : { driverCode: one.driverCode, page: { current: 1, size: 1 } },
  );
  const driverId = drivers.data?.records[0]?.id;
  const devices = useAsk(
    'POST /manager/device/list',
    driverId === undefined ? null : { driverId, page: { current: 1, size: SHOWN } },
  );
  const form = useForm('POST /manager/device/waiting/claim', {
    fields: { deviceId: '', deviceName: endpoint.replaceAll(/[^\w\-.]/g, '-').slice(0, 64) },
    input({ deviceId, deviceName }) {
      if (proven) return { id };
      if (deviceId !== '') return { id, deviceId };
      return deviceName === '' ? null : { id, deviceName };
    },
    done(made) {
      announce(w.claimed(endpoint));
      changed();
      onClose();
      navigate(`/devices/${made}`);
    },
  });
  return (
    <FormDialog title={w.claimTitle(endpoint)} go={w.go} {...form.sends} onClose={onClose}>
      <p>{proven ? w.claimProven(one.deviceName ?? '') : w.claimUnproven}</p>
      {!proven && (
        <Loaded asked={devices} rows={1}>
          {({ records }) => (
            <Choice
              label={w.device}
              {...form.of('deviceId')}
              options={[
                ['', w.fresh],
                ...records.map((device) => [device.id, device.deviceName] as const),
              ]}
            />
          )}
        </Loaded>
      )}
      {!proven && form.values.deviceId === '' && (
        <TextField label={w.name} {...form.of('deviceName')} />
      )}
    </FormDialog>
  );
}
