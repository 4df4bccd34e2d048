import type { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { type Column, columnsOf } from '../device/table.ts';

/** The driver and the profile that all devices of a table have. */
export const OfTable = input({ driverId: Id, profileId: Id });
export type OfTable = z.infer<typeof OfTable>;

/** The columns of a device itself; the others are for configs. */
const OWN = [
  'deviceName',
  'deviceCode',
  'remark',
  'enableFlag',
  'groupName',
  'labelNames',
] as const;
const own = new Set<string>(OWN);

/** Names of labels in a cell; no name has a semicolon. */
export const LABELS = '; ';

/** What the devices of a table have in common, and its columns for configs. */
export type Table = OfTable & { columns: readonly Column[] };

/** Keeps the driver and the profile from being deleted until this transaction ends; throws NotFound. */
export async function tableOf(q: Queries, tenantId: string, given: OfTable): Promise<Table> {
  const { driverId, profileId } = given;
  const columns = await columnsOf(q, tenantId, given);
  return { driverId, profileId, columns: columns.filter(({ title }) => !own.has(title)) };
}

export const titlesOf = ({ columns }: Table): string[] => [
  ...OWN,
  ...columns.map(({ title }) => title),
];
