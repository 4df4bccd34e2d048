import { useAsk } from '../../client/ask.ts';
import type { InputOf } from '../../client/call.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { Check, Choice } from '../../part/control/field.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Further } from '../../part/control/pager.tsx';
import { Section } from '../../part/page.tsx';
import { query, setQuery } from '../../route/route.ts';
import { proposalsWords } from '../../word/proposal/proposals.ts';
import { stateWords } from '../../word/state.ts';
import { Row } from './row.tsx';

type Search = InputOf<'POST /agentic/action/search'>;

const SIZE = 20;
const STATUSES = [
  'EXECUTED',
  'MISMATCH',
  'FAILED',
  'UNKNOWN',
  'CONFIRMED',
  'REJECTED',
  'EXPIRED',
  'WITHDRAWN',
] as const;

/** Decided proposals, the newest first, narrowed to what the address says. */
export function Decided() {
  const w = proposalsWords();
  const given = query.value;
  const status = STATUSES.find((each) => each === given.get('status'));
  const deviceId = given.get('deviceId') ?? undefined;
  const cursor = given.get('after') ?? undefined;
  const mine = given.get('mine') === 'yes' || undefined;
  const search: Search = { decided: true, status, deviceId, mine, cursor, limit: SIZE };
  const asked = useAsk('POST /agentic/action/search', search);
  useAgainOn(['action', 'command'], asked.again);
  const isNarrowed = status !== undefined || deviceId !== undefined || mine === true;
  return (
    <Section title={w.decided.title}>
      <div class="row filters">
        <Choice
          label={w.status}
          value={status ?? ''}
          onChange={(value) => setQuery({ status: value, after: null })}
          options={[
            ['', w.all],
            ...STATUSES.map((each) => [each, stateWords().action[each]] as const),
          ]}
        />
        <Check
          label={w.mine}
          value={mine === true}
          onChange={(isOn) => setQuery({ mine: isOn ? 'yes' : null, after: null })}
        />
        {deviceId !== undefined && (
          <Button onPress={() => setQuery({ deviceId: null, after: null })}>{w.allDevices}</Button>
        )}
      </div>
      <Loaded asked={asked} rows={5} tall>
        {({ actions, nextCursor }) => (
          <>
            {actions.length === 0 && nextCursor === null && (
              <Empty title={isNarrowed ? w.decided.noneFound : w.decided.none} />
            )}
            <ul class="list">
              {actions.map((action) => (
                <Row key={action.actionId} action={action} />
              ))}
            </ul>
            <Further next={nextCursor} />
          </>
        )}
      </Loaded>
    </Section>
  );
}
