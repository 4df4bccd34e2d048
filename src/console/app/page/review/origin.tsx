import { Facts } from '../../part/page.tsx';
import { Ago, Moment } from '../../part/time.tsx';
import { Link } from '../../route/link.tsx';
import { reviewWords } from '../../word/review.ts';
import { type Action, isOpen } from './action.ts';

/** Who asks, through which door, and why; who decided. */
export function Origin({ action }: { action: Action }) {
  const w = reviewWords().origin;
  const { reason, conversationId, comment } = action;
  return (
    <section class="panel">
      <h2>{w.title}</h2>
      {reason !== '' && (
        <figure>
          <figcaption class="small quiet">{w.reason}</figcaption>
          <blockquote>{reason}</blockquote>
        </figure>
      )}
      <Facts
        of={[
          [w.by, <bdi>{action.proposerName}</bdi>],
          [w.via, viaOf(action.proposedVia)],
          [
            w.conversation,
            conversationId !== '' && (
              <Link to={`/chat?conversation=${encodeURIComponent(conversationId)}`}>{w.open}</Link>
            ),
          ],
          [w.made, <Ago at={action.createTime} />],
          [w.until, isOpen(action) && <Moment at={action.expiresAt} seconds />],
          [w.decided, action.decidedName !== '' && <bdi>{action.decidedName}</bdi>],
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
