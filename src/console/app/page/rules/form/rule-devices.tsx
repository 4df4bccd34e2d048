import { useState } from 'preact/hooks';

import { useAsk } from '../../../client/ask.ts';
import type { Schemas } from '../../../client/operations.ts';
import { may } from '../../../client/session.ts';
import { moreOf } from '../../../part/control/device-filter.tsx';
import { Checks, Choice, TextField } from '../../../part/control/field.tsx';
import { wrongOf } from '../../../part/control/loaded.tsx';
import { ruleFormWords } from '../../../word/rule-form.ts';
import type { Part } from './rule-place.tsx';

const DEVICES = 'ruleExt.content.devices';
const MOST = 100;

/** Whether a rule on a point watches every device that has it, or chosen devices and groups. */
export function Devices({ draft, change, failure, point }: Part & { point: Schemas['Point'] }) {
  const w = ruleFormWords();
  const [name, setName] = useState('');
  const { areChosen, deviceIds, groupIds } = draft;
  const page = { current: 1, size: MOST };
  const { profileId } = point;
  const devices = useAsk(
    'POST /manager/device/list',
    areChosen && may('svc-center-manager:device:list')
      ? { profileId, deviceName: name || undefined, page }
      : null,
  );
  const groups = useAsk(
    'POST /manager/group/list',
    areChosen && may('svc-center-manager:group:list') ? { groupTypeFlag: 'DEVICE', page } : null,
  );
  const ofDevices =
    devices.data?.records.map(({ id, deviceName }) => [id, deviceName] as const) ?? [];
  const ofGroups = groups.data?.records.map(({ id, groupName }) => [id, groupName] as const) ?? [];
  const wrong = ['', '.ids', '.groupIds'].flatMap((part) => wrongOf(failure, DEVICES + part) ?? []);
  return (
    <>
      <Choice
        label={w.devices}
        wrong={wrong[0]}
        value={areChosen ? 'chosen' : 'every'}
        onChange={(chosen) => change({ areChosen: chosen === 'chosen' })}
        options={[
          ['every', w.everyDevice],
          ['chosen', w.chosenDevices],
        ]}
      />
      {areChosen && (
        <>
          <TextField
            label={w.search}
            hint={moreOf(devices.data)}
            type="search"
            value={name}
            onChange={setName}
          />
          <Checks
            value={deviceIds}
            onChange={(ids) => change({ deviceIds: ids })}
            options={withThose(deviceIds, ofDevices)}
          />
          {(ofGroups.length > 0 || groupIds.length > 0) && (
            <>
              <p class="quiet">{w.chosenGroups}</p>
              <Checks
                value={groupIds}
                onChange={(ids) => change({ groupIds: ids })}
                options={withThose(groupIds, ofGroups)}
              />
            </>
          )}
        </>
      )}
    </>
  );
}

/** What is offered, and what is chosen already and not among it. */
const withThose = (chosen: readonly string[], offered: readonly (readonly [string, string])[]) => [
  ...offered,
  ...chosen.filter((id) => !offered.some(([known]) => known === id)).map((id) => [id, id] as const),
];
