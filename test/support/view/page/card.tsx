import { render } from 'preact';

import { Proposal } from '../../../../src/console/app/page/agents/review.tsx';
import type { Action } from '../../../../src/console/card/action.ts';

declare global {
  /** Draws a card as the console does, without a login. */
  var svcCard: (action: Action) => void;
}

globalThis.svcCard = (action) =>
  render(
    <Proposal card={{ action, fresh: null, look: () => {} }} again={() => {}} />,
    document.body,
  );
