import type { World } from '../../support/world/app.ts';

/** A way to store data: starts a platform on a new database, and gives the planner its statistics. */
export type Engine = { begin(): Promise<World>; settle(): Promise<void> };
