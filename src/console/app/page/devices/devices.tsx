import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import { query, setQuery } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { Dialog } from '../../part/control/dialog.tsx';
import { Choice, optionsIn, optionsOf } from '../../part/control/field.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Opener } from '../../part/control/opener.tsx';
import { Order, orderIn } from '../../part/control/order.tsx';
import { SaveButton } from '../../part/control/save-button.tsx';
import { Search } from '../../part/control/search.tsx';
import { Link } from '../../part/link.tsx';
import { Page } from '../../part/page.tsx';
import { titleOf } from '../../part/pages.ts';
import { Views } from '../../part/views.tsx';
import { devicesWords } from '../../word/devices.ts';
import { partWords } from '../../word/part.ts';
import type { Filter } from './list/bulk-run.ts';
import { ColumnChoice } from './list/columns-dialog.tsx';
import { useColumns } from './list/columns.tsx';
import { CHUNK, Found } from './list/device-rows.tsx';
import { type Chosen, isChosen, OfTable } from './of-table.tsx';

/** `/devices`: every device of the tenant, found by name, group, label, profile and driver. */
export function Devices() {
  const w = devicesWords();
  const filter: Filter = {};
  for (const name of ['deviceName', 'groupId', 'labelId', 'profileId', 'driverId'] as const) {
    const given = query.value.get(name);
    if (given) filter[name] = given;
  }
  const situation = SITUATIONS.find((each) => each === query.value.get('situation'));
  if (situation) filter.situation = situation;
  const orderBy = orderIn(ORDERS);
  const columns = useColumns();
  const first = useAsk('POST /manager/device/list', {
    ...filter,
    orderBy,
    page: { current: 1, size: CHUNK },
  });
  // Which devices are in the list changes with their connection.
  useAgainOn(situation ? ['device'] : [], first.again);
  return (
    <Page
      state={first.data && <span class="quiet tabular">{w.total(first.data.total)}</span>}
      actions={
        <>
          {may('svc-center-manager:device:add') && (
            <Link to="/devices/new" class="primary">
              {titleOf('/devices/new')}
            </Link>
          )}
          <Link to="/devices/waiting">{titleOf('/devices/waiting')}</Link>
          <Link to="/devices/import">{w.import}</Link>
          {may('svc-center-manager:group:list') && <Link to="/groups">{titleOf('/groups')}</Link>}
          {may('svc-center-manager:profile:list') && (
            <Link to="/profiles">{titleOf('/profiles')}</Link>
          )}
          {may('svc-center-manager:driver:list') && (
            <Link to="/drivers">{titleOf('/drivers')}</Link>
          )}
          {may('svc-center-agentic:manual:list') && (
            <Link to="/manuals">{titleOf('/manuals')}</Link>
          )}
          {may('svc-center-manager:firmware:list') && (
            <Link to="/firmware">{titleOf('/firmware')}</Link>
          )}
          <Opener word={w.export}>{(close) => <Export onClose={close} />}</Opener>
        </>
      }
    >
      <Filters />
      <Views path="/devices" />
      <Loaded asked={first} rows={8} tall>
        {({ total }) =>
          total === 0 ? (
            <Empty title={Object.keys(filter).length > 0 ? w.noneFound : w.none} />
          ) : (
            <Found
              key={JSON.stringify(filter)}
              filter={filter}
              orderBy={orderBy}
              total={total}
              columns={columns}
              again={first.again}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

const ALL = '';

/** What the list is narrowed to; kept in the address. */
function Filters() {
  const w = devicesWords();
  const page = { current: 1, size: 100 };
  const groups = useAsk(
    'POST /manager/group/list',
    may('svc-center-manager:group:list') ? { groupTypeFlag: 'DEVICE', page } : null,
  );
  const labels = useAsk(
    'POST /manager/label/list',
    may('svc-center-manager:label:list') ? { entityTypeFlag: 'DEVICE', page } : null,
  );
  const profiles = useAsk(
    'POST /manager/profile/list',
    may('svc-center-manager:profile:list') ? { page } : null,
  );
  const drivers = useAsk(
    'POST /manager/driver/list',
    may('svc-center-manager:driver:list') ? { page } : null,
  );
  return (
    <div class="row filters">
      <Search label={w.search} name="deviceName" />
      {may('svc-center-data:device_status:list') && (
        <Choice
          label={w.situation}
          value={query.value.get('situation') ?? ALL}
          onChange={(situation) => setQuery({ situation })}
          options={[[ALL, w.all], ...optionsIn(SITUATIONS, w.situations)]}
        />
      )}
      {groups.data !== null && groups.data.records.length > 0 && (
        <Choice
          label={w.group}
          value={query.value.get('groupId') ?? ALL}
          onChange={(groupId) => setQuery({ groupId })}
          options={optionsOf([ALL, w.all], groups.data.records, 'groupName')}
        />
      )}
      {labels.data !== null && labels.data.records.length > 0 && (
        <Choice
          label={w.label}
          value={query.value.get('labelId') ?? ALL}
          onChange={(labelId) => setQuery({ labelId })}
          options={optionsOf([ALL, w.all], labels.data.records, 'labelName')}
        />
      )}
      {profiles.data !== null && profiles.data.records.length > 1 && (
        <Choice
          label={w.profile}
          value={query.value.get('profileId') ?? ALL}
          onChange={(profileId) => setQuery({ profileId, pointId: '' })}
          options={optionsOf([ALL, w.all], profiles.data.records, 'profileName')}
        />
      )}
      {drivers.data !== null && drivers.data.records.length > 1 && (
        <Choice
          label={w.driver}
          value={query.value.get('driverId') ?? ALL}
          onChange={(driverId) => setQuery({ driverId })}
          options={optionsOf([ALL, w.all], drivers.data.records, 'driverName')}
        />
      )}
      <Order orders={ORDERS} />
      <ColumnChoice />
    </div>
  );
}

/** Saves the devices of a driver and a profile as a table. */
function Export({ onClose }: { onClose(): void }) {
  const w = devicesWords();
  const [of, setOf] = useState<Chosen>({ driverId: '', profileId: '' });
  return (
    <Dialog
      title={w.export}
      onClose={onClose}
      actions={<Button onPress={onClose}>{partWords().close}</Button>}
    >
      <p class="quiet">{w.exportText}</p>
      <OfTable of={of} onChange={setOf} />
      <SaveButton
        operation="GET /manager/device/export"
        input={isChosen(of) ? of : null}
        name="devices.csv"
      >
        {w.exportGo}
      </SaveButton>
    </Dialog>
  );
}

/** How the connection of a device is, as the list is asked for it. */
const SITUATIONS = bounds['POST /manager/device/list'].situation.values;
const ORDERS = bounds['POST /manager/device/list'].orderBy.values;
