import { expect, it } from 'vitest';

import { besiege } from '../support/hostile/besiege.ts';
import { createRandom, seedFor } from '../support/hostile/random.ts';
import type { Surface } from '../support/hostile/surface.ts';
import { surfaces } from '../support/hostile/surfaces.ts';

/** Inputs to each surface, for REST to each route; `npm run prove -- hostile` sends 2,000, to platforms of their own. */
const SAMPLE = 16;
const PER_ROUTE = 1;
/** A busy machine takes several times as long as an idle one. */
const SECONDS = 300;

const inputsOf = ({ name }: Surface): number => (name === 'REST' ? PER_ROUTE : SAMPLE);
const isExposed = (surface: Surface): surface is Extract<Surface, { attack: unknown }> =>
  'attack' in surface;

/** All that needs no neighbour, on one platform. */
const exposed: Surface = {
  name: 'every surface without a neighbour',
  async attack(site) {
    for (const surface of surfaces.filter(isExposed)) {
      const before = site.tally.inputs;
      const inputs = inputsOf(surface);
      await surface.attack({ ...site, inputs, random: createRandom(seedFor(surface.name)) });
      if (site.tally.inputs < before + inputs) site.tally.fail(`${surface.name}: too few inputs`);
    }
  },
};

it.each([exposed, ...surfaces.filter((surface) => !isExposed(surface))])(
  'hostile inputs to $name leave the process, the protocol and everybody else unharmed',
  { timeout: 360_000 },
  async (surface) => {
    const { tally } = await besiege(surface, { inputs: inputsOf(surface), seconds: SECONDS });
    expect(tally.wrong).toEqual([]);
    expect(tally.inputs).toBeGreaterThanOrEqual(SAMPLE);
  },
);
