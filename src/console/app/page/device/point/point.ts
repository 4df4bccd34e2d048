import type { Schemas } from '../../../client/operations.ts';

export type Point = Schemas['Point'];
export type Latest = Schemas['LatestValue'];

const NUMBERS: readonly Point['pointTypeFlag'][] = [
  'BYTE',
  'SHORT',
  'INT',
  'LONG',
  'FLOAT',
  'DOUBLE',
];
/** Whether its values can be drawn. */
export const isNumber = ({ pointTypeFlag }: Point): boolean => NUMBERS.includes(pointTypeFlag);
