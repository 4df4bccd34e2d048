import { Button } from '../../part/control/button.tsx';
import { Note } from '../../part/value/mark.tsx';
import { chatWords } from '../../word/chat.ts';
import type { Ending } from './turn.ts';

type Kept = { hasText: boolean; steps: number; actions: number };

type Given = {
  /** As this page heard it; null of a turn of another time. */
  ending: Ending | null;
  /** What the server kept of the answer; null where it kept none. */
  kept: Kept | null;
  /** Whether the server is still asked for it. */
  isAsking?: boolean;
  isUnread?: boolean;
  /** Whether another page may be getting the answer. */
  isMaybeComing?: boolean;
  look?: (() => void) | undefined;
  again?: (() => void) | undefined;
};

/** A turn that failed or was cut: why, what it left behind, and the way on. */
export function Left({ ending, kept, look, again, ...is }: Given) {
  const w = chatWords().end;
  return (
    <div class="panel left">
      <Note tone="warning" shape="triangle">
        <span class="strong">{whyOf(ending, kept)}</span>
        {ending !== null && 'said' in ending && <bdi lang="en"> {ending.said}</bdi>}
      </Note>
      {kept && (
        <p>
          {[
            kept.hasText ? w.text : w.noText,
            ...(kept.steps > 0 ? [w.tools(kept.steps)] : []),
            kept.actions > 0 ? w.actions(kept.actions) : w.noActions,
          ].join(' ')}
        </p>
      )}
      {is.isAsking && <p class="quiet">{w.reading}</p>}
      {is.isMaybeComing && <p class="quiet">{w.underWay}</p>}
      {is.isUnread && <p class="quiet">{w.unread}</p>}
      {again && kept !== null && kept.actions > 0 && <p>{w.twice}</p>}
      <div class="row">
        {look && <Button onPress={look}>{w.look}</Button>}
        {again && <Button onPress={again}>{w.again}</Button>}
      </div>
    </div>
  );
}

function whyOf(ending: Ending | null, kept: Kept | null): string {
  const w = chatWords().end;
  if (ending === null || ending.how === 'done') return kept === null ? w.none : w.broke;
  return w[ending.how];
}
