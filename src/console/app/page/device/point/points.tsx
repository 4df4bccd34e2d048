import { useState } from 'preact/hooks';

import { useAsk } from '../../../client/ask.ts';
import { liveValue } from '../../../client/live.ts';
import type { Schemas } from '../../../client/operations.ts';
import { may } from '../../../client/session.ts';
import { isFavourite, toggleFavourite } from '../../../client/storage/favourites.ts';
import { useAgainOn, useEvery, useWatch } from '../../../client/use-live.ts';
import { announce } from '../../../part/announce.tsx';
import { Button } from '../../../part/control/button.tsx';
import { Empty, Loaded } from '../../../part/control/loaded.tsx';
import { Table } from '../../../part/control/table.tsx';
import { Section } from '../../../part/page.tsx';
import { Amount } from '../../../part/value/amount.tsx';
import { Ago, momentText } from '../../../part/value/time.tsx';
import { ValueChip, valueState } from '../../../part/value/value-chip.tsx';
import { devicesWords, noDataWords } from '../../../word/devices.ts';
import { partWords } from '../../../word/part.ts';
import type { Latest, Point } from './point.ts';
import { WriteDialog } from './write-dialog.tsx';

const SHOWN = 200;
/** Points of which the reason is asked for without a press of the person. */
const EXPLAINED = 10;

/** The points of a device with their values as they come. */
export function Points({ deviceId }: { deviceId: string }) {
  const w = devicesWords().points;
  const page = { current: 1, size: SHOWN };
  const values = useAsk('POST /data/point_value/latest', { deviceId, page });
  const points = useAsk(
    'GET /manager/point/list_by_device_id',
    may('svc-center-manager:point:list') ? { deviceId } : null,
  );
  const [writing, setWriting] = useState<{ point: Point; latest: Latest } | null>(null);
  useWatch(values.data?.records.map(({ pointId }) => `${deviceId}:${pointId}`) ?? []);
  const mayWrite = may('svc-center-data:point_command:write');
  const byId = new Map(points.data?.map((point) => [point.id, point]));
  return (
    <Section title={w.title}>
      <Loaded asked={values} rows={6} none={<Empty title={w.none} />}>
        {({ records }) => (
          <Table
            columns={[
              [w.point],
              [w.value, 'number'],
              [w.age],
              [<span class="hidden">{w.write}</span>],
            ]}
          >
            {records.map((latest, place) => {
              const point = byId.get(latest.pointId);
              const isWritable = point !== undefined && point.rwFlag !== 'READ_ONLY';
              return (
                <Row
                  key={latest.pointId}
                  latest={latest}
                  isExplained={place < EXPLAINED}
                  write={mayWrite && isWritable ? () => setWriting({ point, latest }) : null}
                />
              );
            })}
          </Table>
        )}
      </Loaded>
      {writing && <WriteDialog {...writing} onClose={() => setWriting(null)} />}
    </Section>
  );
}

type RowGiven = { latest: Latest; isExplained: boolean; write: (() => void) | null };

function Row({ latest, isExplained, write }: RowGiven) {
  const w = devicesWords().points;
  const live = liveValue(latest.deviceId, latest.pointId).value ?? latest;
  return (
    <tr>
      <th scope="row">
        <bdi>{latest.pointName}</bdi>
      </th>
      <td class="number">
        {live.hasLatestValue ? (
          <Amount value={live.calValue} unit={latest.unit} class="strong" />
        ) : (
          <Amount value={null} />
        )}
      </td>
      <td>
        <span class="row">
          {live.createTime !== null && <Ago at={live.createTime} />}
          <ValueChip value={live} />
        </span>
        {valueState(live) !== null && (
          <NoData of={{ ...latest, valueIssue: live.valueIssue }} isAsked={isExplained} />
        )}
      </td>
      <td class="number">
        <Button
          kind="quiet"
          label={w.favourite(latest.pointName)}
          isPressed={isFavourite(latest)}
          onPress={() => {
            if (!toggleFavourite(latest)) announce(partWords().notStored);
          }}
        >
          {isFavourite(latest) ? '★' : '☆'}
        </Button>
        {write && (
          <Button onPress={write} label={`${w.write} ${latest.pointName}`}>
            {w.write}
          </Button>
        )}
      </td>
    </tr>
  );
}

/** Also without an event: what is due becomes overdue. */
const EVERY_MS = 15_000;

type NoDataGiven = {
  of: Pick<Schemas['LatestValue'], 'deviceId' | 'pointId' | 'pointName' | 'valueIssue'>;
  /** Whether the reason is asked for at once; else by the person. */
  isAsked: boolean;
};

/** Why a point has no fresh and good value, and the next step; until that is known, what its driver says. */
function NoData({ of, isAsked }: NoDataGiven) {
  const w = noDataWords();
  const [isWanted, setWanted] = useState(isAsked);
  const { deviceId, pointId, pointName, valueIssue } = of;
  const { data, again } = useAsk(
    'GET /data/point_value/why',
    isWanted ? { deviceId, pointId } : null,
  );
  useAgainOn(['device'], again);
  useEvery(EVERY_MS, again);
  if (data !== null && data.cause !== 'ARRIVING') {
    const at = data.causeTime === null ? null : momentText(data.causeTime);
    return <small class="quiet">{w.sentence(data.sentence, data.cause, { ...data, at })}</small>;
  }
  return (
    <>
      {valueIssue !== null && (
        <small class="quiet" lang="en">
          {valueIssue}
        </small>
      )}
      {!isWanted && (
        <Button kind="quiet" label={w.askOf(pointName)} onPress={() => setWanted(true)}>
          {w.ask}
        </Button>
      )}
    </>
  );
}
