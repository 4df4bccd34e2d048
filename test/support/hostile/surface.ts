import type { Bus } from '../../../src/bus/bus.ts';
import type { World } from '../world/app.ts';
import type { ShiftedClock } from '../world/shifted-clock.ts';
import type { Random } from './random.ts';
import type { Tally } from './tally.ts';

/** What an attack works with: a whole platform of its own, and where it counts what became of each input. */
export type Site = {
  world: World;
  random: Random;
  tally: Tally;
  /** How many inputs to send: to each route of a table, or to the surface. */
  inputs: number;
  /** performance.now() after which no more inputs are sent. */
  until: number;
};

/** What has to be there before the platform of a surface starts. */
type Neighbour = {
  environment: Record<string, string>;
  clock?: ShiftedClock;
  /** Stands between the platform and its bus. */
  tap?: (bus: Bus) => Bus;
  stop(): Promise<void>;
};

type Attack = (site: Site) => Promise<void>;

/** One way into the platform; `beside` starts what an attack needs before the platform is there. */
export type Surface = { name: string } & (
  | { attack: Attack }
  | { beside(): Promise<Neighbour & { attack: Attack }> }
);
