import { useEffect, useId, useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { query, setQuery } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { partWords } from '../../word/part.ts';
import { Button } from './button.tsx';
import { Choice, optionsOf, TextField } from './field.tsx';
import { useRested } from './search.tsx';

const OFFERED = { current: 1, size: 20 };
const MANY = { current: 1, size: 100 };

type Found = { records: readonly unknown[]; total: number };

/** Of a choice of what a part of a name finds: how many it does not offer, and what helps; undefined where it offers all. */
export const moreOf = (found: Found | null): string | undefined =>
  found !== null && found.total > found.records.length
    ? partWords().filter.more(found.records.length, found.total)
    : undefined;

type Given = {
  /** The parameter of the address that holds the page, which begins anew. */
  page: string;
};

/** Narrows a list to one device, found by its name; which one is the parameter `deviceId` of the address. */
export function DeviceFilter({ page }: Given) {
  const w = partWords().filter;
  const list = useId();
  const deviceId = query.value.get('deviceId');
  const maySee = may('svc-center-manager:device:list');
  const [name, setName] = useState('');
  const rested = useRested(name.trim());
  const chosen = useAsk(
    'GET /manager/device/get_by_id',
    maySee && deviceId !== null ? { id: deviceId } : null,
  );
  const found = useAsk(
    'POST /manager/device/list',
    maySee && deviceId === null ? { deviceName: rested || undefined, page: OFFERED } : null,
  );
  const choose = (id: string | null): void => setQuery({ deviceId: id, [page]: null });
  const records = found.data?.records ?? [];
  /** The one of that name, whether it was found before or after it was entered. */
  const chooseNamed = (entered: string): void => {
    const device = records.find(({ deviceName }) => deviceName === entered);
    if (!device) return;
    setName('');
    choose(device.id);
  };
  useEffect(() => chooseNamed(name), [found.data]);
  const shown = chosen.data?.deviceName ?? deviceId ?? '';
  if (deviceId !== null)
    return (
      <Button label={w.only(shown)} onPress={() => choose(null)}>
        <bdi>{shown}</bdi> ✕
      </Button>
    );
  if (!maySee) return null;
  return (
    <>
      <TextField
        label={w.device}
        hint={moreOf(found.data)}
        type="search"
        list={list}
        autocomplete="off"
        value={name}
        onChange={(entered) => {
          setName(entered);
          chooseNamed(entered);
        }}
      />
      <datalist id={list}>
        {records.map(({ id, deviceName }) => (
          <option key={id} value={deviceName} />
        ))}
      </datalist>
    </>
  );
}

/** Narrows a list to the devices of one group, the parameter `groupId` of the address. */
export function GroupFilter({ page }: Given) {
  const w = partWords().filter;
  const groups = useAsk(
    'POST /manager/group/list',
    may('svc-center-manager:group:list') ? { groupTypeFlag: 'DEVICE', page: MANY } : null,
  );
  if (groups.data === null || groups.data.records.length === 0) return null;
  return (
    <Choice
      label={w.group}
      value={query.value.get('groupId') ?? ''}
      onChange={(groupId) => setQuery({ groupId, [page]: null })}
      options={optionsOf(['', w.all], groups.data.records, 'groupName')}
    />
  );
}
