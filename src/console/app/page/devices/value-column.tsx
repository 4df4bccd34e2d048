import { useAsk } from '../../client/ask.ts';
import { liveValue } from '../../client/live.ts';
import type { Schemas } from '../../client/operations.ts';
import { query, setQuery } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { Choice, optionsOf } from '../../part/control/field.tsx';
import { Amount } from '../../part/value/amount.tsx';
import { Ago } from '../../part/value/time.tsx';
import { ValueChip } from '../../part/value/value-chip.tsx';
import { devicesWords } from '../../word/devices.ts';

const NONE = '';

/** The points that devices of the list have in common: those of the profile that it is narrowed to. */
function useCommonPoints(): readonly Schemas['Point'][] {
  const profileId = query.value.get('profileId');
  const maySee = may('svc-center-manager:point:list') && may('svc-center-data:point_value:list');
  const asked = useAsk(
    'GET /manager/point/list_by_profile_id',
    profileId && maySee ? { profileId } : null,
  );
  return (profileId && asked.data) || [];
}

/** The point that the address names (`pointId`): each row shows its last value. Null: rows show no value. */
export function useColumnPoint(): Schemas['Point'] | null {
  const points = useCommonPoints();
  return points.find(({ id }) => id === query.value.get('pointId')) ?? null;
}

export function ColumnChoice() {
  const w = devicesWords();
  const points = useCommonPoints();
  return points.length === 0 ? null : (
    <Choice
      label={w.value}
      value={query.value.get('pointId') ?? NONE}
      onChange={(pointId) => setQuery({ pointId })}
      options={optionsOf([NONE, w.noValue], points, 'pointName')}
    />
  );
}

type Given = { deviceId: string; point: Schemas['Point'] };

/** The last value of a point as it comes, with its age. */
export function ColumnValue({ deviceId, point }: Given) {
  const live = liveValue(deviceId, point.id).value;
  return (
    <span class="value cut">
      {live?.hasLatestValue ? (
        <Amount value={live.calValue} unit={point.unit} class="strong" />
      ) : (
        <Amount value={null} />
      )}{' '}
      {live?.hasLatestValue && <ValueChip value={live} />}
      {live?.createTime && (
        <small class="quiet cut">
          <Ago at={live.createTime} />
        </small>
      )}
    </span>
  );
}
