import { useState } from 'preact/hooks';

import { useAsk } from '../../../client/ask.ts';
import { query, setQuery } from '../../../client/route.ts';
import { may } from '../../../client/session.ts';
import { moreOf } from '../../../part/control/device-filter.tsx';
import { FormDialog } from '../../../part/control/dialog.tsx';
import { Choice, optionsOf, TextField } from '../../../part/control/field.tsx';
import { Opener } from '../../../part/control/opener.tsx';
import { useRested } from '../../../part/control/search.tsx';
import { trendWords } from '../../../word/trend.ts';
import { isNumber } from '../point/point.ts';

/** A point of a device, `DEVICE:POINT`. */
const PAIR = /^\d{1,19}:\d{1,19}$/;
const OFFERED = { current: 1, size: 20 };

/** Points of other devices that the address names (`with`), at most `most`. */
export const othersIn = (deviceId: string, most: number): string[] => {
  const named = (query.value.get('with') ?? '').split(',');
  return [...new Set(named)]
    .filter((pair) => PAIR.test(pair) && !pair.startsWith(`${deviceId}:`))
    .slice(0, most);
};

export const setOthers = (pairs: readonly string[]): void =>
  setQuery({ with: pairs.join() || null }, false);

type Given = {
  deviceId: string;
  others: readonly string[];
  /** The point that is likely meant of a device that has it too. */
  pointId: string;
};

/** Adds a point of another device. */
export function AddOther(given: Given) {
  const mayFind = may('svc-center-manager:device:list') && may('svc-center-manager:point:list');
  return mayFind ? (
    <Opener word={trendWords().other}>{(close) => <Form {...given} onClose={close} />}</Opener>
  ) : null;
}

function Form({ deviceId, others, pointId, onClose }: Given & { onClose(): void }) {
  const w = trendWords();
  const [name, setName] = useState('');
  const [device, setDevice] = useState('');
  const [point, setPoint] = useState<string | null>(null);
  const rested = useRested(name.trim());
  const found = useAsk('POST /manager/device/list', {
    deviceName: rested || undefined,
    orderBy: 'deviceName',
    page: OFFERED,
  });
  const devices = found.data?.records.filter(({ id }) => id !== deviceId) ?? [];
  const [only] = devices.length === 1 ? devices : [];
  const chosen = devices.some(({ id }) => id === device) ? device : (only?.id ?? '');
  const asked = useAsk(
    'GET /manager/point/list_by_device_id',
    chosen === '' ? null : { deviceId: chosen },
  );
  const points = (asked.data ?? []).filter(
    (each) => isNumber(each) && !others.includes(`${chosen}:${each.id}`),
  );
  const same = points.some(({ id }) => id === pointId) ? pointId : '';
  const meant = points.some(({ id }) => id === point) ? point : same;
  return (
    <FormDialog
      title={w.other}
      go={w.show}
      isRunning={false}
      isOff={!meant || rested !== name.trim()}
      failure={found.failure ?? asked.failure}
      onGo={() => {
        setOthers([...others, `${chosen}:${meant}`]);
        onClose();
      }}
      onClose={onClose}
    >
      <TextField
        label={w.otherDevice}
        type="search"
        autocomplete="off"
        value={name}
        onChange={setName}
      />
      <Choice
        label={w.device}
        hint={moreOf(found.data)}
        value={chosen}
        onChange={(id) => {
          setDevice(id);
          setPoint(null);
        }}
        options={optionsOf(['', '–'], devices, 'deviceName')}
      />
      <Choice
        label={w.point}
        value={meant ?? ''}
        onChange={setPoint}
        options={optionsOf(['', w.choose], points, 'pointName')}
      />
    </FormDialog>
  );
}
