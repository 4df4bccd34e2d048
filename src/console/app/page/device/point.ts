import type { Schemas } from '../../client/operations.ts';

export type Point = Schemas['Point'];
export type Latest = Schemas['LatestValue'];
