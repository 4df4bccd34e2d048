import { z } from 'zod';

import type { ActionView } from '../../src/agentic/action/view.ts';
import { Shown } from '../shape/text.ts';

const MAX_TAINTED = 3;

/** Where the proposer had read free texts of devices and users; the card shows them to the human. */
export const Tainted = z.array(
  z.object({
    tool: z.string(),
    field: z.string(),
    of: Shown(128).optional(),
    at: z.string(),
  }),
);

export const taintedIn = ({ tainted }: Pick<ActionView, 'tainted'>) =>
  tainted.length > 0 && {
    tainted: tainted
      .slice(0, MAX_TAINTED)
      .map(({ tool, field, of, at }) => ({ tool, field, ...(of !== '' && { of }), at })),
  };
