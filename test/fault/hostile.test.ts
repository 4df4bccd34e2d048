import { describe, expect, it } from 'vitest';

import { besiege } from '../support/hostile/besiege.ts';
import { surfaces } from '../support/hostile/surfaces.ts';

/** Inputs to each surface, for REST to each route; `npm run prove -- hostile` sends 2,000. */
const SAMPLE = 16;
const PER_ROUTE = 1;
/** A busy machine takes several times as long as an idle one. */
const SECONDS = 300;

describe(`${SAMPLE} hostile inputs`, () => {
  it.each(surfaces)(
    'to $name leave the process, the protocol and everybody else unharmed',
    { timeout: 360_000 },
    async (surface) => {
      const inputs = surface.name === 'REST' ? PER_ROUTE : SAMPLE;
      const { tally } = await besiege(surface, { inputs, seconds: SECONDS });
      expect(tally.wrong).toEqual([]);
      expect(tally.inputs).toBeGreaterThanOrEqual(inputs);
    },
  );
});
