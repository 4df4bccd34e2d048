import type { ComponentType } from 'preact';

import { type Action, isOpen, writesOf } from './action.ts';
import { Notes } from './notes.tsx';
import { Origin, Reason } from './origin.tsx';
import { Outcome } from './outcome.tsx';
import { FirmwareCard } from './rollout.tsx';
import { WriteCard, type WriteGiven } from './write-card.tsx';

type Given = {
  action: Action;
  /** Without where it comes from: that is said around it. */
  isBrief?: boolean;
  /** How a write is drawn, where more is known of it by now. */
  Write?: ComponentType<WriteGiven>;
};

/** All that a person weighs of a proposal, and what became of it: the same in the console and in a view. */
export const Card = ({ action, isBrief = false, Write = WriteCard }: Given) => (
  <>
    {action.firmware && <FirmwareCard firmware={action.firmware} />}
    {writesOf(action).map((write, index, all) => (
      <Write
        key={`${write.deviceId}:${write.pointId}`}
        write={write}
        number={all.length > 1 ? index + 1 : null}
        step={action.steps[index] ?? null}
        isOpen={isOpen(action)}
      />
    ))}
    <Reason action={action} />
    <Notes action={action} />
    <Outcome action={action} />
    {!isBrief && <Origin action={action} />}
  </>
);
