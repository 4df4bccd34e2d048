import { valueOf } from '../../../card/action.ts';
import { Title } from '../../../card/title.tsx';
import type { Schemas } from '../../client/operations.ts';
import { Amount } from '../../part/value/amount.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { actionState } from '../../part/value/state.ts';
import { Ago } from '../../part/value/time.tsx';
import { Link } from '../../route/link.tsx';
import { proposalsWords } from '../../word/proposal/proposals.ts';

/** One proposal: its state, what it would write or what became of it, and from where it comes. */
export function Row({ action }: { action: Schemas['Action'] }) {
  const w = proposalsWords();
  const { pendingConfirmation: isWaiting, unit, steps } = action;
  const value = valueOf(action);
  const isWrite = action.firmware === null;
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
      {isWaiting && isWrite && (
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
