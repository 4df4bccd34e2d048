import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, optionsIn, optionsOf, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { maintenanceWords } from '../../word/maintenance.ts';

const { scopeFlag, modeFlag } = bounds['POST /data/maintenance/add'];
type Scope = (typeof scopeFlag.values)[number];

const MOST = 100;
const NONE = '';

type Fields = {
  maintenanceName: string;
  scopeFlag: Scope;
  entityId: string;
  modeFlag: (typeof modeFlag.values)[number];
  beginTime: string;
  endTime: string;
  owner: string;
  reason: string;
};

const FIRST: Fields = {
  maintenanceName: '',
  scopeFlag: 'DEVICE',
  entityId: NONE,
  modeFlag: 'MUTE',
  beginTime: '',
  endTime: '',
  owner: '',
  reason: '',
};

const iso = (local: string): string => new Date(local).toISOString();

/** Plans a maintenance, or begins one. */
export function PlanForm({ again, onClose }: { again(): void; onClose(): void }) {
  const w = maintenanceWords();
  const form = useForm('POST /data/maintenance/add', {
    fields: FIRST,
    input: ({ entityId, beginTime, endTime, owner, ...given }) =>
      given.scopeFlag !== 'PLANT' && entityId === NONE
        ? null
        : {
            ...given,
            entityIds: given.scopeFlag === 'PLANT' ? [] : [entityId],
            endTime: iso(endTime),
            ...(beginTime !== '' && { beginTime: iso(beginTime) }),
            ...(owner !== '' && { owner }),
          },
    done() {
      announce(w.saved);
      onClose();
    },
    ended: again,
  });
  const { scopeFlag: scope } = form.values;
  const [name, setName] = useState('');
  const entities = useEntities(scope, name);
  return (
    <FormDialog title={w.plan} {...form.sends} onClose={onClose}>
      <TextField label={w.name} {...form.of('maintenanceName')} />
      <Choice
        label={w.scope}
        value={scope}
        onChange={(chosen) => form.set({ scopeFlag: chosen, entityId: NONE })}
        options={optionsIn(scopeFlag.values, w.scopes)}
      />
      {scope !== 'PLANT' && (
        <>
          <TextField label={w.search} type="search" value={name} onChange={setName} />
          <Choice label={w.which} {...form.of('entityId')} options={entities} />
        </>
      )}
      <Choice
        label={w.mode}
        {...form.of('modeFlag')}
        options={optionsIn(modeFlag.values, w.modes)}
      />
      <TextField label={w.begin} type="datetime-local" {...form.of('beginTime')} />
      <TextField label={w.ends} type="datetime-local" {...form.of('endTime')} />
      <TextField label={w.owner} {...form.of('owner')} />
      <TextField label={w.reason} {...form.of('reason')} />
    </FormDialog>
  );
}

/** What a scope can be for, by a part of its name, as far as the person may list it. */
function useEntities(scope: Scope, name: string) {
  const w = maintenanceWords();
  const page = { current: 1, size: MOST };
  const isOf = (kind: Scope, noun: string): boolean =>
    scope === kind && may(`svc-center-manager:${noun}:list`);
  const devices = useAsk(
    'POST /manager/device/list',
    isOf('DEVICE', 'device') ? { page, ...(name !== '' && { deviceName: name }) } : null,
  );
  const groups = useAsk(
    'POST /manager/group/list',
    isOf('GROUP', 'group')
      ? { groupTypeFlag: 'DEVICE', page, ...(name !== '' && { groupName: name }) }
      : null,
  );
  const labels = useAsk(
    'POST /manager/label/list',
    isOf('LABEL', 'label')
      ? { entityTypeFlag: 'DEVICE', page, ...(name !== '' && { labelName: name }) }
      : null,
  );
  const drivers = useAsk(
    'POST /manager/driver/list',
    isOf('DRIVER', 'driver') ? { page, ...(name !== '' && { driverName: name }) } : null,
  );
  const first = [NONE, w.choose] as const;
  if (scope === 'GROUP') return optionsOf(first, groups.data?.records, 'groupName');
  if (scope === 'LABEL') return optionsOf(first, labels.data?.records, 'labelName');
  if (scope === 'DRIVER') return optionsOf(first, drivers.data?.records, 'driverName');
  return optionsOf(first, devices.data?.records, 'deviceName');
}
