import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, optionsOf, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { retentionWords } from '../../word/retention.ts';

const MOST = 100;
const NONE = '';

type Given = { changed(): void; onClose(): void };

const iso = (local: string): string => new Date(local).toISOString();

/** Adds a class, or changes the name and the days of one (`of`). */
export function ClassForm({
  of,
  changed,
  onClose,
}: Given & { of: Schemas['RetentionClass'] | null }) {
  const w = retentionWords();
  const page = { current: 1, size: MOST };
  const profiles = useAsk('POST /manager/profile/list', of ? null : { page });
  const form = useForm(
    of ? 'POST /data/retention_class/update' : 'POST /data/retention_class/add',
    {
      fields: {
        className: of?.className ?? '',
        valueDays: of?.valueDays == null ? '' : String(of.valueDays),
        profileId: NONE,
      },
      needs: ['className'],
      input: ({ className, valueDays, profileId }) => ({
        className,
        valueDays: valueDays === '' ? null : Number(valueDays),
        ...(of
          ? { id: of.id }
          : profileId === NONE
            ? { defaultFlag: true }
            : { profileIds: [profileId] }),
      }),
      done() {
        announce(w.saved);
        changed();
        onClose();
      },
    },
  );
  return (
    <FormDialog title={of ? `${w.edit} ${of.className}` : w.add} {...form.sends} onClose={onClose}>
      <p>{w.grace}</p>
      <TextField label={w.name} {...form.of('className')} />
      <TextField label={w.days} type="number" min="1" {...form.of('valueDays')} />
      {!of && (
        <Choice
          label={w.of}
          {...form.of('profileId')}
          options={optionsOf([NONE, w.ofAll], profiles.data?.records, 'profileName')}
        />
      )}
    </FormDialog>
  );
}

/** Adds a hold on values of a device, or of all. */
export function HoldForm({ changed, onClose }: Given) {
  const w = retentionWords();
  const page = { current: 1, size: MOST };
  const devices = useAsk('POST /manager/device/list', { page });
  const form = useForm('POST /data/retention_hold/add', {
    fields: { holdName: '', deviceId: NONE, fromTime: '', toTime: '', reason: '' },
    input: ({ holdName, reason, deviceId, fromTime, toTime }) => ({
      holdName,
      reason,
      ...(deviceId !== NONE && { deviceId }),
      ...(fromTime !== '' && { fromTime: iso(fromTime) }),
      ...(toTime !== '' && { toTime: iso(toTime) }),
    }),
    done() {
      announce(w.saved);
      changed();
      onClose();
    },
  });
  return (
    <FormDialog title={w.addHold} {...form.sends} onClose={onClose}>
      <TextField label={w.name} {...form.of('holdName')} />
      <Choice
        label={w.device}
        {...form.of('deviceId')}
        options={optionsOf([NONE, w.allDevices], devices.data?.records, 'deviceName')}
      />
      <TextField label={w.from} type="datetime-local" {...form.of('fromTime')} />
      <TextField label={w.to} type="datetime-local" {...form.of('toTime')} />
      <TextField label={w.reason} {...form.of('reason')} />
    </FormDialog>
  );
}
