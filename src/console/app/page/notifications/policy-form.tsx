import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import type { Schemas } from '../../client/operations.ts';
import { Check, TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { wrongOf } from '../../part/loaded.tsx';
import { notificationsWords } from '../../word/alarm/notifications.ts';
import { type PolicyContent, policyOf } from './content.ts';

type Given = { policy: Schemas['NotifyPolicy'] | null; onClose(): void };

const MINUTE_MS = 60_000;
const TYPES = ['OFFLINE', 'FAULT', 'STATE_FLIP', 'REPORT', 'IDENTITY'] as const;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Adds a policy, or changes one; what this form does not show stays as it is. */
// oxlint-disable-next-line complexity, max-lines-per-function
export function PolicyForm({ policy, onClose }: Given) {
  const w = notificationsWords().policies;
  const stored = policy ? policyOf(policy) : {};
  const [name, setName] = useState(policy?.notifyName ?? '');
  const [minutes, setMinutes] = useState(minutesOf(policy?.notifyInterval));
  const [confirms, setConfirms] = useState(policy?.autoConfirmFlag === 'AUTO');
  const [repeats, setRepeats] = useState(stored.repeat?.enabled ?? false);
  const [every, setEvery] = useState(minutesOf(stored.repeat?.intervalMs ?? 60 * MINUTE_MS));
  const [tellsEnd, setTellsEnd] = useState(
    stored.recovery?.enabled !== false && stored.recovery?.sendRecoveryMessage !== false,
  );
  const [types, setTypes] = useState<readonly string[]>(stored.alarmTypes ?? []);
  const [window] = stored.silence?.windows ?? [];
  const [start, setStart] = useState(window?.start ?? '');
  const [end, setEnd] = useState(window?.end ?? '');
  const add = useAct('POST /data/notify/add');
  const change = useAct('POST /data/notify/update');
  const others = stored.silence?.windows?.slice(1) ?? [];
  const content: PolicyContent = {
    ...stored,
    repeat: { ...stored.repeat, enabled: repeats, intervalMs: msOf(every) },
    recovery: {
      ...stored.recovery,
      enabled: tellsEnd || (stored.recovery?.autoConfirmOnRecovery ?? false),
      sendRecoveryMessage: tellsEnd,
    },
    alarmTypes: TYPES.filter((type) => types.includes(type)),
    silence: {
      enabled: stored.silence?.enabled ?? true,
      windows:
        start === '' || end === ''
          ? others
          : [{ timezone: ZONE, ...window, start, end }, ...others],
    },
  };
  const go = async (): Promise<void> => {
    const given = {
      notifyName: name,
      notifyInterval: msOf(minutes),
      autoConfirmFlag: confirms ? ('AUTO' as const) : ('MANUAL' as const),
      notifyExt: { content },
    };
    const done = policy ? await change.run({ id: policy.id, ...given }) : await add.run(given);
    if (done !== null) onClose();
  };
  const failure = add.failure ?? change.failure;
  return (
    <FormDialog
      title={policy ? w.change(policy.notifyName) : w.add}
      go={policy ? notificationsWords().save : w.add}
      isRunning={add.isRunning || change.isRunning}
      isOff={name === ''}
      failure={failure}
      onGo={() => void go()}
      onClose={onClose}
    >
      <TextField
        label={w.name}
        value={name}
        onChange={setName}
        wrong={wrongOf(failure, 'notifyName')}
        autocomplete="off"
      />
      <TextField
        label={w.interval}
        hint={w.intervalHint}
        type="number"
        min="0"
        value={minutes}
        onChange={setMinutes}
        wrong={wrongOf(failure, 'notifyInterval')}
      />
      <Check label={w.repeats} value={repeats} onChange={setRepeats} />
      {repeats && (
        <TextField label={w.every} type="number" min="1" value={every} onChange={setEvery} />
      )}
      <Check label={w.tellsEnd} value={tellsEnd} onChange={setTellsEnd} />
      <Check label={w.confirms} value={confirms} onChange={setConfirms} />
      <fieldset>
        <legend>{w.types}</legend>
        {TYPES.map((type) => (
          <Check
            key={type}
            label={w.says.type[type]}
            value={types.includes(type)}
            onChange={(is) =>
              setTypes(is ? [...types, type] : types.filter((each) => each !== type))
            }
          />
        ))}
      </fieldset>
      <fieldset>
        <legend>{w.quiet(window?.timezone ?? ZONE)}</legend>
        <div class="row">
          <TextField label={w.from} type="time" value={start} onChange={setStart} />
          <TextField label={w.to} type="time" value={end} onChange={setEnd} />
        </div>
        {others.length > 0 && <p class="small quiet">{w.others(others.length)}</p>}
      </fieldset>
    </FormDialog>
  );
}

const minutesOf = (ms = 0): string => String(Math.round(ms / MINUTE_MS));
const msOf = (minutes: string): number => Math.round(Number(minutes) * MINUTE_MS);
