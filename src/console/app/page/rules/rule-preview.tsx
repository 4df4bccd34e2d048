import { useMemo } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { InputOf } from '../../client/call.ts';
import { now } from '../../client/clock.ts';
import type { Schemas } from '../../client/operations.ts';
import { query, setQuery } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { Choice, optionsOf } from '../../part/control/field.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { useRested } from '../../part/control/search.tsx';
import { Section } from '../../part/page.tsx';
import { Spark } from '../../part/value/spark.tsx';
import { rulePreviewWords } from '../../word/rule-preview.ts';
import type { Draft } from './draft/rule-entered.ts';
import { isAggregated } from './draft/rule-fit.ts';
import { Answer } from './rule-episodes.tsx';

type Ext = InputOf<'POST /data/rule/preview'>['ruleExt'];
type Given = {
  draft: Draft;
  /** Null while the condition is not whole. */
  ruleExt: Ext | null;
  rule: Schemas['Rule'] | null;
  /** Whether it is about one point. */
  isPoint: boolean;
  /** Enters what is suggested. */
  change(given: Partial<Draft>): void;
};

/** The right to read what a rule is tried on. */
const READS = {
  POINT: 'svc-center-data:point_value:list',
  DEVICE: 'svc-center-data:dashboard:list',
  DRIVER: 'svc-center-data:dashboard:list',
  EVENT: 'svc-center-data:event_history:list',
} as const;
const DAYS = [1, 7, 31] as const;
const DAY_MS = 86_400_000;
const PAUSE_MS = 500;
const MOST = 100;

/** What the rule would have raised in a span of stored values, as it is entered. */
export function Preview(given: Given) {
  const w = rulePreviewWords();
  const { target, entityId } = given.draft;
  if (!may(READS[target]) || !may('svc-center-data:rule:list')) return null;
  return (
    <Section title={w.title}>
      <p class="quiet">{w.lead}</p>
      <Scope
        pointId={given.isPoint ? entityId : null}
        isEvery={entityId === '0' && target !== 'DRIVER'}
      />
      {given.ruleExt ? (
        <Tried {...given} ruleExt={given.ruleExt} />
      ) : (
        <Empty title={w.incomplete} />
      )}
    </Section>
  );
}

const days = () => DAYS.find((each) => String(each) === query.value.get('days')) ?? 7;

/** The span and the devices it is tried on; kept in the address. */
function Scope({ pointId, isEvery }: { pointId: string | null; isEvery: boolean }) {
  const w = rulePreviewWords();
  const point = useAsk(
    'GET /manager/point/get_by_id',
    pointId !== null && may('svc-center-manager:point:get') ? { id: pointId } : null,
  );
  const devices = useAsk(
    'POST /manager/device/list',
    (point.data || isEvery) && may('svc-center-manager:device:list')
      ? { profileId: point.data?.profileId, page: { current: 1, size: MOST } }
      : null,
  );
  return (
    <div class="row filters">
      <div class="row" role="group" aria-label={w.span}>
        {DAYS.map((each) => (
          <Button
            key={each}
            isPressed={each === days()}
            onPress={() => setQuery({ days: String(each) })}
          >
            {w.spans[each]}
          </Button>
        ))}
      </div>
      {devices.data && devices.data.total > 1 && (
        <Choice
          label={w.scope}
          value={query.value.get('on') ?? ''}
          onChange={(on) => setQuery({ on })}
          options={optionsOf(['', w.all], devices.data.records, 'deviceName')}
        />
      )}
    </div>
  );
}

/** Whether one device can be chosen. */
const hasScope = (draft: Draft): boolean =>
  !isAggregated(draft) &&
  (draft.target === 'POINT' || (draft.entityId === '0' && draft.target !== 'DRIVER'));

function Tried({ draft, ruleExt, rule, change }: Given & { ruleExt: Ext }) {
  const w = rulePreviewWords();
  const span = days();
  const from = useMemo(() => new Date(now() - span * DAY_MS).toISOString(), [span]);
  const settled = useRested(ruleExt, PAUSE_MS);
  const asked = useAsk('POST /data/rule/preview', {
    alarmTargetTypeFlag: draft.target,
    entityId: draft.entityId,
    deviceId: hasScope(draft) ? (query.value.get('on') ?? undefined) : undefined,
    ruleExt: settled,
    ruleId: rule?.id,
    from,
  });
  const { condition } = settled.content;
  const marksOf = ({ series, episodes }: Schemas['RulePreview']): number[] =>
    'threshold' in condition
      ? [episodes.find((one) => one.deviceId === series?.deviceId)?.limit ?? condition.threshold]
      : 'low' in condition
        ? [condition.low, condition.high]
        : [];
  return (
    <Loaded asked={asked} rows={4}>
      {(found) => (
        <>
          {found.series && found.series.values.length > 1 && (
            <Spark
              label={w.series(found.series.entityName, found.series.deviceName)}
              values={found.series.values.map(({ time, value }) => ({
                at: Date.parse(time),
                value,
              }))}
              from={Date.parse(found.from)}
              to={Date.parse(found.to)}
              marks={marksOf(found)}
              unit={found.unit}
            />
          )}
          <Answer found={found} target={draft.target} span={w.spans[span]} change={change} />
        </>
      )}
    </Loaded>
  );
}
