import { useEffect, useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { AnswerOf } from '../../client/call.ts';
import type { Schemas } from '../../client/operations.ts';
import { useAgainOn } from '../../live/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { TextField } from '../../part/control/field.tsx';
import { Empty, Loaded } from '../../part/loaded.tsx';
import { Page } from '../../part/page.tsx';
import { Link } from '../../route/link.tsx';
import { query, setQuery } from '../../route/route.ts';
import { may } from '../../session/session.ts';
import { rulesWords } from '../../word/alarm/rules.ts';
import { partWords } from '../../word/part.ts';
import { Row } from './row.tsx';
import { useWatched } from './watched.ts';

const TABS = ['all', 'on', 'off'] as const;
const FLAGS = { all: undefined, on: 'ENABLE', off: 'DISABLE' } as const;
const SIZE = 30;
const MOST = 100;
const PAUSE_MS = 200;

/** `/rules`: every rule of the tenant, found by name and by whether it is switched on. */
export function Rules() {
  const w = rulesWords();
  const tab = TABS.find((each) => each === query.value.get('state')) ?? 'all';
  const ruleName = query.value.get('name') ?? undefined;
  const current = Math.max(1, Number(query.value.get('page')) || 1);
  const asked = useAsk('POST /data/rule/list', {
    ruleName,
    enableFlag: FLAGS[tab],
    page: { current, size: SIZE },
  });
  const firing = useAsk(
    'POST /data/rule/state/list',
    may('svc-center-data:rule_state:list')
      ? { entityStateFlag: 'FIRING', page: { current: 1, size: MOST } }
      : null,
  );
  useAgainOn(['alarm'], firing.again);
  const again = (): void => {
    asked.again();
    firing.again();
  };
  return (
    <Page
      title={w.title}
      state={asked.data && <span class="quiet tabular">{w.total(asked.data.total)}</span>}
      actions={may('svc-center-data:rule:add') && <Link to="/rules/new">{w.make}</Link>}
    >
      <p class="quiet">{w.lead}</p>
      <Filters tab={tab} />
      <Loaded asked={asked} rows={5} tall>
        {({ records, pages }) => (
          <>
            {records.length === 0 && (
              <Empty title={ruleName === undefined && tab === 'all' ? w.none : w.noneFound}>
                {may('svc-center-data:rule:add') && <Link to="/rules/new">{w.make}</Link>}
              </Empty>
            )}
            <List rules={records} firing={firing.data} again={again} />
            <div class="row">
              {current > 1 && (
                <Button onPress={() => setQuery({ page: String(current - 1) }, false)}>
                  {partWords().back}
                </Button>
              )}
              {current < pages && (
                <Button onPress={() => setQuery({ page: String(current + 1) }, false)}>
                  {partWords().next}
                </Button>
              )}
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

type ListGiven = {
  rules: readonly Schemas['Rule'][];
  firing: AnswerOf<'POST /data/rule/state/list'> | null;
  again(): void;
};

function List({ rules, firing, again }: ListGiven) {
  const watched = useWatched(rules);
  const states = firing?.records ?? [];
  return (
    <ul class="list">
      {rules.map((rule) => (
        <Row
          key={rule.id}
          rule={rule}
          watched={watched(rule)}
          firing={{
            count: states.filter(({ ruleId }) => ruleId === rule.id).length,
            isAll: firing !== null && firing.total <= MOST,
          }}
          again={again}
        />
      ))}
    </ul>
  );
}

/** What the list is narrowed to; kept in the address. */
function Filters({ tab }: { tab: (typeof TABS)[number] }) {
  const w = rulesWords();
  const [name, setName] = useState(query.peek().get('name') ?? '');
  useEffect(() => {
    const timer = setTimeout(() => {
      if ((query.peek().get('name') ?? '') !== name) setQuery({ name, page: null });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [name]);
  return (
    <div class="row filters">
      <div class="row" role="group" aria-label={w.state}>
        {TABS.map((each) => (
          <Button
            key={each}
            isPressed={each === tab}
            onPress={() => setQuery({ state: each === 'all' ? null : each, page: null }, false)}
          >
            {w.tabs[each]}
          </Button>
        ))}
      </div>
      <TextField label={w.search} type="search" value={name} onChange={setName} />
    </div>
  );
}
