import { useState } from 'preact/hooks';

import { useAsk } from '../../../client/ask.ts';
import { bounds } from '../../../client/bounds.ts';
import type { Schemas } from '../../../client/operations.ts';
import { may } from '../../../client/session.ts';
import { moreOf } from '../../../part/control/device-filter.tsx';
import { Checks, Choice, optionsIn, TextField } from '../../../part/control/field.tsx';
import { wrongOf } from '../../../part/control/loaded.tsx';
import { ruleFormWords } from '../../../word/rule-form.ts';
import { isAggregated } from '../draft/rule-fit.ts';
import type { Part } from './rule-place.tsx';

const DEVICES = 'ruleExt.content.devices';
const MOST = 100;
const FUNCTIONS = bounds['POST /data/rule/add']['ruleExt.content.aggregate.function'].values;

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
          <Aggregated {...{ draft, change, failure }} />
        </>
      )}
    </>
  );
}

const AGGREGATE = 'ruleExt.content.aggregate';

/** Whether each of the chosen devices is judged, or what all of them come to. */
function Aggregated({ draft, change, failure }: Part) {
  const w = ruleFormWords();
  return (
    <>
      <Choice
        label={w.aggregate}
        wrong={wrongOf(failure, AGGREGATE)}
        value={draft.aggregate}
        onChange={(aggregate) => change({ aggregate })}
        options={optionsIn(['EACH', ...FUNCTIONS] as const, w.aggregates)}
      />
      {draft.aggregate === 'ANY' && (
        <TextField
          label={w.atLeast}
          hint={w.atLeastHint}
          type="number"
          min="1"
          value={draft.atLeast}
          wrong={wrongOf(failure, `${AGGREGATE}.atLeast`)}
          onChange={(atLeast) => change({ atLeast })}
        />
      )}
      {isAggregated(draft) && (
        <TextField
          label={w.withValue}
          hint={w.withValueHint}
          type="number"
          min="1"
          value={draft.withValue}
          wrong={wrongOf(failure, `${AGGREGATE}.minDevices`)}
          onChange={(withValue) => change({ withValue })}
        />
      )}
    </>
  );
}

/** What is offered, and what is chosen already and not among it. */
const withThose = (chosen: readonly string[], offered: readonly (readonly [string, string])[]) => [
  ...offered,
  ...chosen.filter((id) => !offered.some(([known]) => known === id)).map((id) => [id, id] as const),
];
