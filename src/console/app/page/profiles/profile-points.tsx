import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { limitsOf } from '../../part/value/amount.tsx';
import { newDeviceWords } from '../../word/new-device.ts';
import { profilesWords } from '../../word/profiles.ts';
import { Definitions, type Sort } from './definitions.tsx';
import { PointForm } from './point-form.tsx';

type Given = { profileId: string; reach: number | null };

/** The points of a profile. */
export function ProfilePoints({ profileId, reach }: Given) {
  const maySee = may('svc-center-manager:point:list');
  const asked = useAsk('GET /manager/point/list_by_profile_id', maySee ? { profileId } : null);
  return maySee ? <Definitions sort={pointsOf(profileId)} asked={asked} reach={reach} /> : null;
}

function pointsOf(profileId: string): Sort<Schemas['Point']> {
  const w = profilesWords();
  const { types, accesses } = newDeviceWords().point;
  return {
    noun: 'point',
    words: {
      title: w.points,
      none: w.noPoints,
      add: w.addPoint,
      ask: w.deletePoint,
      means: w.deletePointMeans,
    },
    columns: [w.point.type, w.point.access, w.point.limits, w.point.scale],
    nameOf: ({ pointName }) => pointName,
    beside: ({ unit }) =>
      unit !== '' && (
        <small class="unit">
          <bdi>{unit}</bdi>
        </small>
      ),
    cells: (point) => [
      types[point.pointTypeFlag],
      accesses[point.rwFlag],
      limitsOf(point),
      <span class="tabular">{scaleOf(point)}</span>,
    ],
    form: (given) => <PointForm profileId={profileId} {...given} />,
  };
}

const scaleOf = ({ multiple, baseValue }: Schemas['Point']): string =>
  multiple === 1 && baseValue === 0 ? '–' : `× ${multiple} + ${baseValue}`;
