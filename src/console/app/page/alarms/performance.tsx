import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { query } from '../../client/route.ts';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Tabs } from '../../part/control/search.tsx';
import { Table } from '../../part/control/table.tsx';
import { Link } from '../../part/link.tsx';
import { Facts, Page, Section } from '../../part/page.tsx';
import { titleOf } from '../../part/pages.ts';
import { Chip } from '../../part/value/mark.tsx';
import { Ago, lengthOf, Moment } from '../../part/value/time.tsx';
import { performanceWords } from '../../word/performance.ts';

const SPANS = ['1', '7', '30'] as const;
const RATED = {
  ACCEPTABLE: { tone: 'good', shape: 'check' },
  MANAGEABLE: { tone: 'info', shape: 'half' },
  OVER_DEMANDING: { tone: 'warning', shape: 'diamond' },
  UNACCEPTABLE: { tone: 'danger', shape: 'triangle' },
} as const;

const percent = (share: number): string =>
  `${(share * 100).toLocaleString(undefined, { maximumFractionDigits: 1 })} %`;

/** `/alarms/performance`: how many alarms operators get, and from which rules. */
export function Performance() {
  const w = performanceWords();
  const span = SPANS.find((each) => each === query.value.get('span')) ?? '1';
  const asked = useAsk('GET /data/dashboard/alert/kpi', { days: Number(span) });
  return (
    <Page title={titleOf('/alarms/performance')}>
      <p class="quiet">{w.lead}</p>
      <Tabs
        label={w.span}
        name="span"
        value={span}
        options={SPANS.map((each) => [each, w.spans[each]] as const)}
      />
      <Loaded asked={asked} rows={5} tall>
        {(kpi) => (
          <>
            {kpi.raised === 0 ? <Empty title={w.none} /> : <Figures kpi={kpi} />}
            <Stale stale={kpi.stale} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Figures({ kpi }: { kpi: Schemas['AlarmKpi'] }) {
  const w = performanceWords();
  const { acknowledged, worst } = kpi;
  return (
    <>
      <Facts
        of={[
          [
            w.rate,
            <>
              <p class="large">
                {kpi.perTenMinutes.toLocaleString(undefined, { maximumFractionDigits: 2 })}
              </p>
              <Chip {...RATED[kpi.rating]} word={w.ratings[kpi.rating]} />
              <p class="small quiet">{w.rateHint}</p>
            </>,
          ],
          [w.raised, <p class="large">{kpi.raised.toLocaleString()}</p>],
          [
            w.worst,
            <>
              <p class="large">{worst.count}</p>
              <Moment at={worst.at} />
              <p class="small quiet">{w.worstHint}</p>
            </>,
          ],
          [
            w.flood,
            <>
              <p class="large">{percent(kpi.floodShare)}</p>
              <p>{w.floods(kpi.floods)}</p>
              <p class="small quiet">{w.floodHint}</p>
            </>,
          ],
          [
            w.mtta,
            <>
              <p class="large">
                {acknowledged.meanMs === null ? '–' : lengthOf(acknowledged.meanMs / 1_000)}
              </p>
              <p>{w.confirmed(acknowledged.count)}</p>
            </>,
          ],
        ]}
      />
      <Section title={w.top}>
        <p class="quiet">{w.topHint(percent(kpi.topShare))}</p>
        <Table label={w.top} columns={[[w.rule], [w.count, 'number'], [w.share, 'number']]}>
          {kpi.topRules.map((row) => (
            <tr key={row.ruleId}>
              <RuleName of={row} />
              <td class="number">{row.count.toLocaleString()}</td>
              <td class="number">{percent(row.share)}</td>
            </tr>
          ))}
        </Table>
      </Section>
      {kpi.chattering.length > 0 && (
        <Section title={w.chattering}>
          <p class="quiet">{w.chatteringHint}</p>
          <Table
            label={w.chattering}
            columns={[[w.rule], [w.where], [w.periods, 'number'], [w.most, 'number']]}
          >
            {kpi.chattering.map((row, index) => (
              <tr key={index}>
                <RuleName of={row} />
                <td>
                  <bdi>{row.deviceName}</bdi>
                </td>
                <td class="number">{row.periods}</td>
                <td class="number">{row.most}</td>
              </tr>
            ))}
          </Table>
        </Section>
      )}
    </>
  );
}

function Stale({ stale: { count, oldest } }: { stale: Schemas['AlarmKpi']['stale'] }) {
  const w = performanceWords();
  if (count === 0) return null;
  return (
    <Section title={w.stale(count)}>
      <p class="quiet">{w.staleHint}</p>
      <Table label={w.stale(count)} columns={[[w.rule], [w.where], [w.since]]}>
        {oldest.map((row) => (
          <tr key={row.alarmId}>
            <th scope="row">
              <Link to={`/alarms/${row.alarmId}`}>
                <bdi>{row.ruleName ?? w.noRule}</bdi>
              </Link>
            </th>
            <td>
              <bdi>{row.deviceName}</bdi>
            </td>
            <td>
              <Ago at={row.since} />
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

function RuleName({
  of: { ruleId, ruleName },
}: {
  of: { ruleId: string; ruleName: string | null };
}) {
  const w = performanceWords();
  return (
    <th scope="row">
      {ruleName === null ? (
        <span class="quiet">{ruleId === '0' ? w.noRule : w.gone}</span>
      ) : (
        <Link to={`/rules/${ruleId}`}>
          <bdi>{ruleName}</bdi>
        </Link>
      )}
    </th>
  );
}
