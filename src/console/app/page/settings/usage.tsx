import { useMemo } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import { now } from '../../client/clock.ts';
import type { Schemas } from '../../client/operations.ts';
import { query, setQuery } from '../../client/route.ts';
import { Choice, optionsIn } from '../../part/control/field.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { isWhole, sorted, type Sorts } from '../../part/control/sort.tsx';
import { Table } from '../../part/control/table.tsx';
import { usageWords } from '../../word/usage.ts';
import { Budgets } from './budgets.tsx';
import { SettingsPage } from './frame.tsx';

const KINDS = bounds['GET /agentic/usage/summary'].by.values;
const SPANS = ['1', '7', '30', '90'] as const;
const DAY_MS = 86_400_000;

/** `/settings/usage`: what the models of the chat used and cost, and their budgets. */
export function Usage() {
  const w = usageWords();
  const given = query.value;
  const by = KINDS.find((kind) => kind === given.get('by')) ?? 'model';
  const span = SPANS.find((each) => each === given.get('span')) ?? '30';
  const from = useMemo(() => new Date(now() - Number(span) * DAY_MS).toISOString(), [span]);
  const asked = useAsk('GET /agentic/usage/summary', { by, from });
  return (
    <SettingsPage title={w.title}>
      <p class="quiet">{w.lead}</p>
      <div class="fields">
        <Choice
          label={w.by}
          value={by}
          onChange={(chosen) => setQuery({ by: chosen })}
          options={optionsIn(KINDS, w.kinds)}
        />
        <Choice
          label={w.span}
          value={span}
          onChange={(chosen) => setQuery({ span: chosen })}
          options={optionsIn(SPANS, w.spans)}
        />
      </div>
      <Loaded asked={asked} rows={4} none={<Empty title={w.none} />}>
        {(sums) => <Sums sums={sums} by={by} />}
      </Loaded>
      <Budgets />
    </SettingsPage>
  );
}

type SumsGiven = { sums: readonly Schemas['ChatUsage'][]; by: (typeof KINDS)[number] };

/** By its columns. */
const SORTS: Sorts<Schemas['ChatUsage']> = {
  group: ({ group }) => group,
  requests: ({ requests }) => requests,
  prompt: ({ promptTokens }) => promptTokens,
  completion: ({ completionTokens }) => completionTokens,
  cost: ({ cost }) => (cost === null ? null : Number(cost)),
  first: ({ firstTokenMs }) => firstTokenMs,
  length: ({ durationMs }) => durationMs,
};

function Sums({ sums, by }: SumsGiven) {
  const w = usageWords();
  const unnamed = { key: w.login, endUser: w.noUser, model: '', person: '', day: '' }[by];
  const sorts = isWhole(sums) ? SORTS : {};
  const isOneCurrency = new Set(sums.map(({ currency }) => currency)).size === 1;
  const columns = [w.requests, w.prompt, w.completion, w.cost, w.first, w.length];
  return (
    <Table
      label={w.title}
      columns={[[w.kinds[by]], ...columns.map((title) => [title, 'number'] as const)]}
      sorts={Object.keys(sorts).map((each) => (each !== 'cost' || isOneCurrency ? each : null))}
    >
      {sorted(sums, sorts).map((sum) => (
        <Row key={`${sum.group} ${sum.currency}`} sum={sum} name={sum.group || unnamed} />
      ))}
    </Table>
  );
}

const shown = (count: number): string => count.toLocaleString();
const seconds = (ms: number | null): string => (ms === null ? '–' : `${(ms / 1_000).toFixed(1)} s`);

function Row({ sum, name }: { sum: Schemas['ChatUsage']; name: string }) {
  const w = usageWords();
  const note = (count: number, words: (n: string) => string) =>
    count > 0 && <small class="quiet"> {words(shown(count))}</small>;
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi>
      </th>
      <td class="number tabular">
        {shown(sum.requests)}
        {note(sum.failed, w.failed)}
        {note(sum.estimated, w.estimated)}
      </td>
      <td class="number tabular">
        {shown(sum.promptTokens)}
        {note(sum.cachedTokens, w.cached)}
      </td>
      <td class="number tabular">
        {shown(sum.completionTokens)}
        {note(sum.reasoningTokens, w.reasoning)}
      </td>
      <td class="number tabular">
        {sum.cost === null ? (
          <span class="quiet">{w.noPrice}</span>
        ) : (
          <>
            {Number(sum.cost).toLocaleString(undefined, { maximumFractionDigits: 4 })}{' '}
            <bdi>{sum.currency}</bdi>
            {note(sum.unpriced, w.unpriced)}
          </>
        )}
      </td>
      <td class="number tabular">{seconds(sum.firstTokenMs)}</td>
      <td class="number tabular">{seconds(sum.durationMs)}</td>
    </tr>
  );
}
