import { z } from 'zod';

import { AppError } from '../../kernel/errors.ts';
import { Text } from '../../kernel/input/text.ts';
import { AddDevice } from '../device/device.ts';
import type { Column } from '../device/table.ts';
import { checkConfig } from '../driver/attribute.ts';
import { checkEndpoint } from '../driver/endpoint-claim.ts';
import { LABELS, type Table } from './columns.ts';
import type { Refusal, Row } from './rows.ts';

/** A row as the operations on one device would take it; what is absent stays as it is. */
export type RowInput = {
  device: z.output<typeof AddDevice>;
  groupName: string | null;
  labelNames: string[];
  configs: (Column & { configValue: string })[];
};

const ConfigValue = Text(1024);

/** Checks the cells by themselves, with the schemas and checks of single devices and configs. */
export function inputOf(table: Table, { cells, refused }: Row): RowInput | Refusal {
  if (refused) return refused;
  const { driverId, profileId } = table;
  const given = AddDevice.safeParse({
    deviceName: cells.get('deviceName') ?? '',
    deviceCode: cells.get('deviceCode'),
    remark: cells.get('remark'),
    enableFlag: cells.get('enableFlag'),
    driverId,
    profileId,
  });
  if (!given.success) return refusalOf(given.error);
  const configs: RowInput['configs'] = [];
  for (const column of table.columns) {
    const text = cells.get(column.title);
    if (text === undefined) continue;
    try {
      const configValue = ConfigValue.parse(text);
      checkConfig(column.attribute, driverId, configValue);
      if (!column.point) checkEndpoint(column.attribute, configValue);
      configs.push({ ...column, configValue });
    } catch (error) {
      if (error instanceof z.ZodError) return { ...refusalOf(error), column: column.title };
      if (error instanceof AppError) return { column: column.title, reason: error.message };
      throw error;
    }
  }
  return { device: given.data, groupName: groupOf(cells), labelNames: labelsOf(cells), configs };
}

/** The group that a row names; null where it names none. */
export const groupOf = (cells: Row['cells']): string | null =>
  cells.get('groupName')?.normalize('NFC') ?? null;

export const labelsOf = (cells: Row['cells']): string[] =>
  (cells.get('labelNames')?.split(LABELS.trim()) ?? [])
    .map((label) => label.trim().normalize('NFC'))
    .filter(Boolean);

function refusalOf({ issues: [issue] }: z.ZodError): Refusal {
  return { column: String(issue?.path[0] ?? ''), reason: issue?.message ?? '' };
}
