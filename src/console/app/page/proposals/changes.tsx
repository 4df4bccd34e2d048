import { useAsk } from '../../client/ask.ts';
import { now } from '../../client/clock.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { Choice } from '../../part/control/field.tsx';
import { List } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { Page } from '../../part/page.tsx';
import { query, setQuery } from '../../route/route.ts';
import { changesWords } from '../../word/changes.ts';
import { Row } from './change-row.tsx';

const SIZE = 30;
const DAY_MS = 86_400_000;
const SPANS = { day: 1, week: 7, month: 30 } as const;
type Span = keyof typeof SPANS;

/** `/changes`: what was configured, proposed, decided and written, by whom and through which door. */
export function Changes() {
  const w = changesWords();
  const given = query.value;
  const span = spanOf(given.get('span'));
  const cursor = given.get('after') ?? undefined;
  const deviceId = given.get('deviceId') ?? undefined;
  const asked = useAsk('POST /data/change/list', {
    since: span && sinceOf(span),
    deviceId,
    cursor,
    limit: SIZE,
  });
  useAgainOn(['action', 'command'], asked.again);
  return (
    <Page title={w.title}>
      <div class="row filters">
        <Choice
          label={w.span}
          value={span ?? ''}
          onChange={(value) => setQuery({ span: value, after: null })}
          options={[
            ['', w.spans.all],
            ['day', w.spans.day],
            ['week', w.spans.week],
            ['month', w.spans.month],
          ]}
        />
        {deviceId !== undefined && (
          <Button onPress={() => setQuery({ deviceId: null, after: null })}>{w.allDevices}</Button>
        )}
      </div>
      <List asked={asked} rows={6} tall none={<Empty title={w.none} />}>
        {(change) => (
          <Row key={`${change.at} ${change.entityId} ${change.operation}`} change={change} />
        )}
      </List>
    </Page>
  );
}

const spanOf = (given: string | null): Span | undefined =>
  given === 'day' || given === 'week' || given === 'month' ? given : undefined;

/** Of the begin of an hour, so that an answer is asked for once and not at each drawing. */
const sinceOf = (span: Span): string => {
  const hour = 3_600_000;
  return new Date(Math.floor(now() / hour) * hour - SPANS[span] * DAY_MS).toISOString();
};
