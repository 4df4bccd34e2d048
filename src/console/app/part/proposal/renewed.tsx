import type { Action } from '../../../card/action.ts';
import { reviewWords } from '../../word/proposal/review.ts';
import { Button } from '../control/button.tsx';
import { Mark } from '../value/mark.tsx';

/** The card has changed since it was shown: what changed, and the way to the fresh one. */
export function Renewed({ fresh, look }: { fresh: Action; look(): void }) {
  const w = reviewWords().renewed;
  return (
    <div class="panel attention" role="alert">
      <p class="note warning">
        <Mark shape="triangle" />
        <span class="strong">{w.title}</span>
      </p>
      <ul class="list" lang="en">
        {fresh.changes.map((change) => (
          <li key={change}>
            <bdi>{change}</bdi>
          </li>
        ))}
      </ul>
      <div class="row">
        <Button onPress={look}>{w.look}</Button>
      </div>
    </div>
  );
}
