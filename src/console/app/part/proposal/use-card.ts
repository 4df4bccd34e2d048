import { useState } from 'preact/hooks';

import { type Action, isOpen } from '../../../card/action.ts';

export type Card = {
  /** What is shown and decided. */
  action: Action;
  /** The card that has taken its place meanwhile; null where none has. */
  fresh: Action | null;
  /** Shows the fresh one: the person asks for it. */
  look(): void;
};

/**
 * Keeps the card that the person has seen while the proposal waits: a renewed one is offered, never put in its place,
 * so that nothing pressed confirms what was not shown before. What is decided is shown as it is.
 */
export function useCard(latest: Action): Card {
  const [seen, setSeen] = useState(latest);
  const isRenewed = isOpen(latest) && latest.digest !== seen.digest;
  return {
    action: isRenewed ? seen : latest,
    fresh: isRenewed ? latest : null,
    look: () => setSeen(latest),
  };
}
