import { useAsk } from '../../../client/ask.ts';
import { may } from '../../../client/session.ts';
import { useAgainOn } from '../../../client/use-live.ts';
import { Loaded } from '../../../part/loaded.tsx';
import { type Action, isOpen } from '../../../part/proposal/action.ts';
import { Proposal } from '../../../part/proposal/proposal.tsx';
import { useCard } from '../../../part/proposal/use-card.ts';
import { Chip } from '../../../part/value/mark.tsx';
import { actionState } from '../../../part/value/state.ts';
import { Link } from '../../../route/link.tsx';
import { chatWords } from '../../../word/chat.ts';

/** A proposal where it was made: decided here, at the same address of the API as on its own page. */
export function InPlace({ actionId }: { actionId: string }) {
  const maySee = may('svc-center-agentic:action:get');
  const asked = useAsk('GET /agentic/action/get', maySee ? { actionId } : null);
  useAgainOn(['action', 'command'], asked.again);
  if (!maySee) return <p class="quiet">{chatWords().asCard}</p>;
  return (
    <section class="in-place" aria-label={chatWords().proposal}>
      <Loaded asked={asked} rows={3} tall>
        {(action) => <Card latest={action} again={asked.again} />}
      </Loaded>
    </section>
  );
}

function Card({ latest, again }: { latest: Action; again(): void }) {
  const card = useCard(latest);
  const { actionId, status } = card.action;
  const head = (
    <span class="row">
      <Link to={`/review/${actionId}`}>{chatWords().proposal}</Link>
      <Chip {...actionState(status)} />
    </span>
  );
  return (
    <>
      <p class="strong">{head}</p>
      <Proposal card={card} again={again} isBrief={!isOpen(card.action)} />
    </>
  );
}
