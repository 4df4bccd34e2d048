import { isWrite, valueOf } from '../../../card/action.ts';
import { Title } from '../../../card/title.tsx';
import { useAsk } from '../../client/ask.ts';
import type { InputOf } from '../../client/call.ts';
import type { Schemas } from '../../client/operations.ts';
import { query, setQuery } from '../../client/route.ts';
import { useAgainOn } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { Check, Choice, optionsIn } from '../../part/control/field.tsx';
import { Further, List } from '../../part/control/list.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Link } from '../../part/link.tsx';
import { Page, Section } from '../../part/page.tsx';
import { Amount } from '../../part/value/amount.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { actionState } from '../../part/value/state.ts';
import { Ago } from '../../part/value/time.tsx';
import { proposalsWords } from '../../word/proposals.ts';
import { stateWords } from '../../word/state.ts';

/** As many as the endpoint gives. */
const MOST = 100;

/** `/proposals`: what waits for a decision, the oldest first, then what was decided. */
export function Proposals() {
  const w = proposalsWords();
  const pending = useAsk('GET /agentic/action/pending', {});
  useAgainOn(['action'], pending.again);
  const count = pending.data?.length ?? 0;
  return (
    <Page state={count > 0 && <Chip tone="info" shape="ring" word={w.waits(count)} />}>
      <Section title={w.pending.title}>
        <List asked={pending} tall none={<Empty title={w.pending.none}>{w.pending.next}</Empty>}>
          {(action) => <Row key={action.actionId} action={action} />}
        </List>
        {count === MOST && <p class="quiet">{w.most(MOST)}</p>}
      </Section>
      <Decided />
    </Page>
  );
}

/** One proposal: its state, what it would write or what became of it, and from where it comes. */
function Row({ action }: { action: Schemas['Action'] }) {
  const w = proposalsWords();
  const { pendingConfirmation: isWaiting, unit, steps } = action;
  const value = valueOf(action);
  return (
    <li>
      <div class="row">
        <Chip {...actionState(action.status)} />
        <span class="quiet">
          {isWaiting && w.ends}{' '}
          <Ago at={isWaiting ? action.expiresAt : (action.decidedTime ?? action.createTime)} />
        </span>
      </div>
      <Link to={`/review/${action.actionId}`}>
        <Title action={action} />
      </Link>
      {isWaiting && isWrite(action) && (
        <p class="tabular">
          {value === null ? (
            <span class="quiet">{w.notKnown}</span>
          ) : (
            <Amount value={value} unit={unit} class="quiet" />
          )}
          <span aria-hidden="true">{' → '}</span>
          <span class="hidden">{w.becomes}</span>
          <Amount value={action.proposedValue} unit={unit} class="strong" />
          {steps.length > 1 && <small class="quiet"> {w.more(steps.length - 1)}</small>}
        </p>
      )}
      {!isWaiting && (
        <p>
          <bdi lang="en">{action.say}</bdi>
        </p>
      )}
      {isWaiting && action.reason !== '' && (
        <p class="quiet cut">
          <q>{action.reason}</q>
        </p>
      )}
      <small class="quiet">
        {w.by} <bdi>{action.proposerName}</bdi>
        {action.decidedName !== '' && (
          <>
            {' · '}
            {w.decidedBy} <bdi>{action.decidedName}</bdi>
          </>
        )}
        {action.beforehand && ` · ${w.beforehand}`}
      </small>
    </li>
  );
}

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
function Decided() {
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
          options={[['', w.all], ...optionsIn(STATUSES, stateWords().action)]}
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
