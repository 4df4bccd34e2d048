import { useState } from 'preact/hooks';

import { useAsk } from '../../../client/ask.ts';
import { bounds } from '../../../client/bounds.ts';
import type { Failure } from '../../../client/failure.ts';
import type { Schemas } from '../../../client/operations.ts';
import { query } from '../../../client/route.ts';
import { may } from '../../../client/session.ts';
import { moreOf } from '../../../part/control/device-filter.tsx';
import { Choice, optionsIn, optionsOf, TextField } from '../../../part/control/field.tsx';
import { wrongOf } from '../../../part/control/loaded.tsx';
import { Link } from '../../../part/link.tsx';
import { ruleFormWords } from '../../../word/rule-form.ts';
import { rulesWords } from '../../../word/rules.ts';
import { NEW } from '../draft/rule-draft.ts';
import type { Draft, Target } from '../draft/rule-entered.ts';
import { Devices } from './rule-devices.tsx';

const MOST = 100;
const TARGETS = bounds['POST /data/rule/add'].alarmTargetTypeFlag.values;

export type Part = { draft: Draft; change(given: Partial<Draft>): void; failure: Failure | null };
type Given = Part & {
  /** What a stored rule watches cannot change. */
  isFixed: boolean;
  point: Schemas['Point'] | null;
};

/** What the rule watches: a point on all devices that have it, or a device or driver. */
export function Place({ draft, change, failure, isFixed, point }: Given) {
  const w = ruleFormWords();
  const { target } = draft;
  return (
    <fieldset>
      <legend>{w.when}</legend>
      <div class="fields">
        {!isFixed && (
          <Choice
            label={w.target}
            value={target}
            onChange={(chosen) =>
              change({ ...NEW, ...kept(draft), ...firstOf(chosen), target: chosen })
            }
            options={optionsIn(TARGETS, w.targets)}
          />
        )}
        {!isFixed && target === 'POINT' && <PointChoice {...{ draft, change, failure }} />}
        {!isFixed && target !== 'POINT' && <EntityChoice {...{ draft, change, failure }} />}
      </div>
      {point && !draft.areChosen && <Shared point={point} />}
      {point && target === 'POINT' && <Devices {...{ draft, change, failure, point }} />}
      {isFixed && target !== 'POINT' && <Fixed draft={draft} />}
    </fieldset>
  );
}

/** What another kind of target leaves as it is. */
const kept = ({ ruleName, remark, level, notifyId, messageId, isEnabled }: Draft) => ({
  ruleName,
  remark,
  level,
  notifyId,
  messageId,
  isEnabled,
});

const firstOf = (target: Target): Partial<Draft> =>
  target === 'POINT'
    ? { field: 'value', operator: '>', entityId: '' }
    : {
        field: target === 'EVENT' ? 'eventCode' : 'statusName',
        operator: 'eq',
        entityId: '0',
        ends: target === 'EVENT' ? 'plain' : 'never',
      };

function Shared({ point }: { point: Schemas['Point'] }) {
  const w = ruleFormWords();
  const { profileId } = point;
  const devices = useAsk(
    'POST /manager/device/list',
    may('svc-center-manager:device:list') ? { profileId, page: { current: 1, size: 3 } } : null,
  );
  return (
    <p>
      <bdi class="strong">{point.pointName}</bdi>{' '}
      {devices.data && (
        <span class="quiet">
          {w.shared(devices.data.total)}{' '}
          {devices.data.records.map(({ id, deviceName }) => (
            <span key={id}>
              <Link to={`/devices/${id}`}>
                <bdi>{deviceName}</bdi>
              </Link>{' '}
            </span>
          ))}
          {devices.data.total > devices.data.records.length && '…'}
        </span>
      )}
    </p>
  );
}

/** A point, found by a device that has it. */
function PointChoice({ draft, change, failure }: Part) {
  const w = ruleFormWords();
  const [name, setName] = useState('');
  const [deviceId, setDeviceId] = useState(query.peek().get('device') ?? '');
  const page = { current: 1, size: MOST };
  const devices = useAsk('POST /manager/device/list', { deviceName: name || undefined, page });
  const points = useAsk(
    'GET /manager/point/list_by_device_id',
    deviceId === '' ? null : { deviceId },
  );
  return (
    <>
      <TextField label={w.search} type="search" value={name} onChange={setName} />
      <Choice
        label={w.device}
        hint={moreOf(devices.data)}
        value={deviceId}
        onChange={(given) => {
          setDeviceId(given);
          change({ entityId: '', areChosen: false, deviceIds: given === '' ? [] : [given] });
        }}
        options={optionsOf(['', w.choose], devices.data?.records, 'deviceName')}
      />
      <Choice
        label={w.point}
        wrong={wrongOf(failure, 'entityId')}
        value={draft.entityId}
        onChange={(entityId) => change({ entityId })}
        options={optionsOf(['', w.choose], points.data, 'pointName')}
      />
    </>
  );
}

/** A device or driver, or every one. */
function EntityChoice({ draft, change, failure }: Part) {
  const w = ruleFormWords();
  const { every } = rulesWords();
  const [name, setName] = useState('');
  const isDriver = draft.target === 'DRIVER';
  const page = { current: 1, size: MOST };
  const devices = useAsk(
    'POST /manager/device/list',
    isDriver ? null : { deviceName: name || undefined, page },
  );
  const drivers = useAsk('POST /manager/driver/list', isDriver ? { page } : null);
  const found = isDriver
    ? (drivers.data?.records ?? []).map(({ id, driverName }) => [id, driverName] as const)
    : (devices.data?.records ?? []).map(({ id, deviceName }) => [id, deviceName] as const);
  return (
    <>
      {!isDriver && <TextField label={w.search} type="search" value={name} onChange={setName} />}
      <Choice
        label={isDriver ? w.driver : w.device}
        hint={moreOf(devices.data)}
        wrong={wrongOf(failure, 'entityId')}
        value={draft.entityId}
        onChange={(entityId) => change({ entityId })}
        options={[['0', every[draft.target]], ...found]}
      />
    </>
  );
}

/** What a stored rule watches that is no point. */
function Fixed({ draft: { target, entityId } }: { draft: Draft }) {
  const w = rulesWords();
  const isNamed = entityId !== '0';
  const device = useAsk(
    'GET /manager/device/get_by_id',
    isNamed && target !== 'DRIVER' && may('svc-center-manager:device:get')
      ? { id: entityId }
      : null,
  );
  const driver = useAsk(
    'GET /manager/driver/get_by_id',
    isNamed && target === 'DRIVER' && may('svc-center-manager:driver:get')
      ? { id: entityId }
      : null,
  );
  return (
    <p>
      {ruleFormWords().targets[target]}:{' '}
      <bdi class="strong">
        {isNamed
          ? (device.data?.deviceName ?? driver.data?.driverName ?? entityId)
          : w.every[target]}
      </bdi>
    </p>
  );
}
