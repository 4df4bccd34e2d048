import { useAsk } from '../../../client/ask.ts';
import { plantZone } from '../../../client/clock.ts';
import { query, setQuery } from '../../../client/route.ts';
import { Button } from '../../../part/control/button.tsx';
import { Empty, Loaded } from '../../../part/control/loaded.tsx';
import { SaveButton } from '../../../part/control/save-button.tsx';
import { Table } from '../../../part/control/table.tsx';
import { Section } from '../../../part/page.tsx';
import { Amount } from '../../../part/value/amount.tsx';
import { Chip } from '../../../part/value/mark.tsx';
import { Moment } from '../../../part/value/time.tsx';
import { trendWords } from '../../../word/trend.ts';
import type { Point } from '../point/point.ts';
import { DeleteValues } from './delete-values.tsx';
import type { Range } from './trend-range.ts';

const SIZE = 20;
const QUALITY = {
  GOOD: { tone: 'good', shape: 'disc', word: 'good' },
  UNCERTAIN: { tone: 'warning', shape: 'half', word: 'uncertain' },
  BAD: { tone: 'danger', shape: 'cross', word: 'bad' },
} as const;

type Given = { deviceId: string; deviceName: string; point: Point; range: Range };

/** The stored values of a point, newest first, page by page, and the time shown as a file. */
export function History({ deviceId, deviceName, point, range }: Given) {
  const w = trendWords();
  const isOpen = query.value.has('values');
  const cursor = query.value.get('values');
  const pair = { deviceId, pointId: point.id };
  const asked = useAsk(
    'GET /data/point_value/list_history_by_device_id_and_point_id',
    isOpen ? { ...pair, count: SIZE, ...(cursor !== NEWEST && { cursor: cursor ?? '' }) } : null,
  );
  const time = { from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() };
  const fileName = `${deviceName} ${point.pointName} ${dayOf(time.from)} to ${dayOf(time.to)}`;
  return (
    <Section
      title={w.historyOf(point.pointName)}
      actions={
        <>
          <Button onPress={() => setQuery({ values: isOpen ? null : NEWEST })} isOpen={isOpen}>
            {w.history}
          </Button>
          <SaveButton
            operation="GET /data/point_value/export"
            input={{ ...pair, ...time, timezone: plantZone.value ?? undefined }}
            name={`${fileName}.csv`}
          >
            {w.csv}
          </SaveButton>
          <SaveButton
            operation="GET /data/point_value/export/parquet"
            input={{ ...pair, ...time }}
            name={`${fileName}.parquet`}
          >
            {w.parquet}
          </SaveButton>
          <DeleteValues {...pair} range={range} changed={asked.again} />
        </>
      }
    >
      {isOpen && (
        <Loaded asked={asked} rows={6} none={<Empty title={w.noHistory} />}>
          {(values) => (
            <>
              <Table columns={[[w.when], [w.value, 'number'], [w.quality]]}>
                {values.map(({ cursor: at, createTime, calValue, quality }) => (
                  <tr key={at}>
                    <td>
                      <Moment at={createTime} seconds />
                    </td>
                    <td class="number">
                      <Amount value={calValue} unit={point.unit} />
                    </td>
                    <td>
                      <Chip {...QUALITY[quality]} word={w[QUALITY[quality].word]} />
                    </td>
                  </tr>
                ))}
              </Table>
              <div class="row">
                {cursor !== NEWEST && (
                  <Button onPress={() => setQuery({ values: NEWEST }, false)}>{w.newest}</Button>
                )}
                {values.length === SIZE && (
                  <Button
                    onPress={() => setQuery({ values: values.at(-1)?.cursor ?? NEWEST }, false)}
                  >
                    {w.older}
                  </Button>
                )}
              </div>
            </>
          )}
        </Loaded>
      )}
    </Section>
  );
}

const NEWEST = 'newest';

/** To the minute, in UTC as the values in the file; a colon cannot be in the name of a file everywhere. */
const dayOf = (iso: string): string => `${iso.slice(0, 16).replace(':', '')}Z`;
