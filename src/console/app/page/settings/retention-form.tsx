import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { moreOf } from '../../part/control/device-filter.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, optionsOf, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { retentionWords } from '../../word/retention.ts';

const MOST = 100;
const NONE = '';

type Given = { changed(): void; onClose(): void };

/** What the class of all devices says of records beside values. */
export const RECORDS = ['alarmDays', 'notificationDays', 'eventDays', 'conversationDays'] as const;

const textOf = (days: number | null | undefined): string => (days == null ? '' : String(days));
const daysIn = (text: string): number | null => (text === '' ? null : Number(text));

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
        valueDays: textOf(of?.valueDays),
        alarmDays: textOf(of?.alarmDays),
        notificationDays: textOf(of?.notificationDays),
        eventDays: textOf(of?.eventDays),
        conversationDays: textOf(of?.conversationDays),
        profileId: NONE,
      },
      needs: ['className'],
      input: ({ className, valueDays, profileId, ...records }) => ({
        className,
        valueDays: daysIn(valueDays),
        ...(of && { id: of.id }),
        ...(!of && (profileId === NONE ? { defaultFlag: true } : { profileIds: [profileId] })),
        ...((of ? of.defaultFlag : profileId === NONE) && {
          alarmDays: daysIn(records.alarmDays),
          notificationDays: daysIn(records.notificationDays),
          eventDays: daysIn(records.eventDays),
          conversationDays: daysIn(records.conversationDays),
        }),
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
      {(of ? of.defaultFlag : form.values.profileId === NONE) && (
        <fieldset class="panel">
          <legend>{w.records}</legend>
          <div class="fields">
            {RECORDS.map((name) => (
              <TextField
                key={name}
                label={w.recordsOf[name]}
                type="number"
                min="1"
                {...form.of(name)}
              />
            ))}
          </div>
        </fieldset>
      )}
    </FormDialog>
  );
}

/** Adds a hold on values of a device, or of all. */
export function HoldForm({ changed, onClose }: Given) {
  const w = retentionWords();
  const page = { current: 1, size: MOST };
  const [name, setName] = useState('');
  const devices = useAsk('POST /manager/device/list', { deviceName: name || undefined, page });
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
      <TextField
        label={w.search}
        type="search"
        value={name}
        onChange={(text) => {
          setName(text);
          // One that is not offered any more would not be seen.
          form.of('deviceId').onChange(NONE);
        }}
      />
      <Choice
        label={w.device}
        hint={moreOf(devices.data)}
        {...form.of('deviceId')}
        options={optionsOf([NONE, w.allDevices], devices.data?.records, 'deviceName')}
      />
      <TextField label={w.from} type="datetime-local" {...form.of('fromTime')} />
      <TextField label={w.to} type="datetime-local" {...form.of('toTime')} />
      <TextField label={w.reason} {...form.of('reason')} />
    </FormDialog>
  );
}
