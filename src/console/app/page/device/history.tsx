import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { type Failure, failureOf } from '../../client/failure.ts';
import { query, setQuery } from '../../client/route.ts';
import { save as saveTable } from '../../client/table.ts';
import { Button } from '../../part/control/button.tsx';
import { Empty, Loaded, RefusedNote } from '../../part/control/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { Amount } from '../../part/value/amount.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Moment } from '../../part/value/time.tsx';
import { trendWords } from '../../word/trend.ts';
import type { Point } from './point.ts';
import type { Range } from './trend-range.ts';

const SIZE = 20;
const QUALITY = {
  GOOD: { tone: 'good', shape: 'disc', word: 'good' },
  UNCERTAIN: { tone: 'warning', shape: 'half', word: 'uncertain' },
  BAD: { tone: 'danger', shape: 'cross', word: 'bad' },
} as const;

type Given = { deviceId: string; point: Point; range: Range };

/** The stored values of a point, newest first, page by page, and the time shown as a file. */
export function History({ deviceId, point, range }: Given) {
  const w = trendWords();
  const isOpen = query.value.has('values');
  const cursor = query.value.get('values');
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isSaving, setSaving] = useState(false);
  const pair = { deviceId, pointId: point.id };
  const asked = useAsk(
    'GET /data/point_value/list_history_by_device_id_and_point_id',
    isOpen ? { ...pair, count: SIZE, ...(cursor !== NEWEST && { cursor: cursor ?? '' }) } : null,
  );
  const save = async (): Promise<void> => {
    setSaving(true);
    setFailure(null);
    const time = { from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() };
    try {
      await saveTable(
        'GET /data/point_value/export',
        { ...pair, ...time },
        `${point.pointName}.csv`,
      );
    } catch (error) {
      setFailure(failureOf(error));
    }
    setSaving(false);
  };
  return (
    <Section
      title={w.historyOf(point.pointName)}
      actions={
        <>
          <Button onPress={() => setQuery({ values: isOpen ? null : NEWEST })} isOpen={isOpen}>
            {w.history}
          </Button>
          <Button isBusy={isSaving} onPress={() => void save()}>
            {w.csv}
          </Button>
        </>
      }
    >
      <RefusedNote failure={failure} />
      {isOpen && (
        <Loaded asked={asked} rows={6}>
          {(values) =>
            values.length === 0 ? (
              <Empty title={w.noHistory} />
            ) : (
              <>
                <div class="scroll">
                  <table>
                    <thead>
                      <tr>
                        <th scope="col">{w.when}</th>
                        <th scope="col" class="number">
                          {w.value}
                        </th>
                        <th scope="col">{w.quality}</th>
                      </tr>
                    </thead>
                    <tbody>
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
                    </tbody>
                  </table>
                </div>
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
            )
          }
        </Loaded>
      )}
    </Section>
  );
}

const NEWEST = 'newest';
