import { Facts } from '../app/part/page.tsx';
import { Ago, Moment } from '../app/part/value/time.tsx';
import { reviewWords } from '../app/word/proposal/review.ts';
import { type Action, isOpen } from './action.ts';

/** Why the agent asks for it, in its own words. */
export function Reason({ action }: { action: Action }) {
  const { reason, proposerName } = action;
  if (reason === '') return null;
  return (
    <figure class="panel">
      <figcaption class="small quiet">
        {reviewWords().origin.reason} · <bdi>{proposerName}</bdi>
      </figcaption>
      <blockquote>{reason}</blockquote>
    </figure>
  );
}

/** Who asks and through which door; who decided. */
export function Origin({ action }: { action: Action }) {
  const w = reviewWords().origin;
  const { conversationId, comment } = action;
  return (
    <section class="panel">
      <h2>{w.title}</h2>
      <Facts
        of={[
          [w.by, <bdi>{action.proposerName}</bdi>],
          [w.via, viaOf(action.proposedVia)],
          [w.conversation, conversationId !== '' && <bdi class="cut">{conversationId}</bdi>],
          [w.made, <Ago at={action.createTime} />],
          [w.until, isOpen(action) && <Moment at={action.expiresAt} seconds />],
          [w.decided, action.decidedName !== '' && <bdi>{action.decidedName}</bdi>],
          [w.decidedAt, action.decidedTime && <Moment at={action.decidedTime} seconds />],
          [w.beforehand, action.beforehand && w.left(action.beforehand.left)],
          [w.comment, comment !== '' && <bdi>{comment}</bdi>],
          [w.digest, <code class="cut">{action.digest.slice(0, 16)}</code>],
        ]}
      />
    </section>
  );
}

function viaOf(via: string): string {
  const { doors } = reviewWords().origin;
  return Object.entries(doors).find(([door]) => door === via)?.[1] ?? via;
}
