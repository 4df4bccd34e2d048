import { useWatch } from '../../client/use-live.ts';
import { isOpen, writesOf } from './action.ts';
import { Decide } from './decide.tsx';
import { FirmwareCard } from './firmware-card.tsx';
import { Notes } from './notes.tsx';
import { Origin, Reason } from './origin.tsx';
import { Outcome } from './outcome.tsx';
import { Renewed } from './renewed.tsx';
import type { Card } from './use-card.ts';
import { WriteCard } from './write-card.tsx';

type Given = {
  card: Card;
  again(): void;
  /** Without where it comes from: that is said around it. */
  isBrief?: boolean;
};

/** A proposal with all that a person weighs, its decision, and what became of it. */
export function Proposal({ card, again, isBrief = false }: Given) {
  const { action, fresh, look } = card;
  const writes = writesOf(action);
  useWatch(
    writes.map(({ deviceId, pointId }) => `${deviceId}:${pointId}`),
    writes.map(({ deviceId }) => deviceId),
  );
  return (
    <>
      <div class="review">
        {fresh && <Renewed fresh={fresh} look={look} />}
        {action.firmware && <FirmwareCard firmware={action.firmware} />}
        {writes.map((write, index) => (
          <WriteCard
            key={`${write.deviceId}:${write.pointId}`}
            write={write}
            number={writes.length > 1 ? index + 1 : null}
            step={action.steps[index] ?? null}
            isOpen={isOpen(action)}
          />
        ))}
        <Reason action={action} />
        <Notes action={action} />
        <Outcome action={action} />
        {!isBrief && <Origin action={action} />}
      </div>
      {isOpen(action) && <Decide action={action} isRenewed={fresh !== null} again={again} />}
    </>
  );
}
