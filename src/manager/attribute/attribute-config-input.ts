import type { z } from 'zod';

import { EnableFlag, flag } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { Ext, input, shared } from '../../core/input/input.ts';
import { Page } from '../../core/input/page.ts';
import { Text } from '../../core/input/text.ts';
import { Version } from '../entity.ts';

const value = { configValue: Text(1024), configExt: Ext.optional() };
const add = { ...shared, ...value, attributeId: Id, deviceId: Id };
const keys = { attributeId: Id, deviceId: Id };
const query = {
  page: Page,
  attributeId: Id.optional(),
  deviceId: Id.optional(),
  enableFlag: flag(EnableFlag).optional(),
};

export const UpdateConfig = input({
  ...shared,
  ...value,
  id: Id,
  version: Version,
  configValue: value.configValue.optional(),
});
export type UpdateConfig = z.infer<typeof UpdateConfig>;
export const OfDevice = input({ deviceId: Id });

/** Maps the id of each kind of part to `partId`, which the operations use for all three. */
const point = <T>({ pointId, ...rest }: T & { pointId: string }) => ({ ...rest, partId: pointId });
const command = <T>({ commandId, ...rest }: T & { commandId: string }) => ({
  ...rest,
  partId: commandId,
});
const event = <T>({ eventId, ...rest }: T & { eventId: string }) => ({ ...rest, partId: eventId });

export const ofPoint = {
  Add: input({ ...add, pointId: Id }).transform(point),
  ByKeys: input({ ...keys, pointId: Id }).transform(point),
  OfPart: input({ deviceId: Id, pointId: Id }).transform(point),
  Query: input({ ...query, pointId: Id.optional() }).transform(({ pointId, ...rest }) => ({
    ...rest,
    partId: pointId,
  })),
};
export const ofCommand = {
  Add: input({ ...add, commandId: Id }).transform(command),
  ByKeys: input({ ...keys, commandId: Id }).transform(command),
  OfPart: input({ deviceId: Id, commandId: Id }).transform(command),
  Query: input({ ...query, commandId: Id.optional() }).transform(({ commandId, ...rest }) => ({
    ...rest,
    partId: commandId,
  })),
};
export const ofEvent = {
  Add: input({ ...add, eventId: Id }).transform(event),
  ByKeys: input({ ...keys, eventId: Id }).transform(event),
  OfPart: input({ deviceId: Id, eventId: Id }).transform(event),
  Query: input({ ...query, eventId: Id.optional() }).transform(({ eventId, ...rest }) => ({
    ...rest,
    partId: eventId,
  })),
};

export type AddConfig = z.infer<typeof ofPoint.Add>;
export type ByKeys = z.infer<typeof ofPoint.ByKeys>;
export type ConfigQuery = z.infer<typeof ofPoint.Query>;
