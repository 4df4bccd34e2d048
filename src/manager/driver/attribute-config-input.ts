import type { z } from 'zod';

import { Version } from '../../kernel/entity/change.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { Ext, input, shared } from '../../kernel/input/input.ts';
import { Page } from '../../kernel/input/page.ts';
import { secret } from '../../kernel/input/secret.ts';
import { Text } from '../../kernel/input/text.ts';

/** Some attributes hold keys of devices. */
const ConfigValue = secret(Text(1024));
const keys = { attributeId: Id, deviceId: Id };
const add = { ...shared, ...keys, configValue: ConfigValue, configExt: Ext.optional() };
const query = {
  page: Page,
  attributeId: Id.optional(),
  deviceId: Id.optional(),
  enableFlag: flag(EnableFlag).optional(),
};

export const UpdateConfig = input({
  ...shared,
  id: Id,
  version: Version,
  configValue: ConfigValue.optional(),
  configExt: Ext.optional(),
});
export type UpdateConfig = z.infer<typeof UpdateConfig>;

export const ofDriver = { Add: input(add), ByKeys: input(keys), Query: input(query) };
export const ofPoint = {
  Add: input({ ...add, pointId: Id }),
  ByKeys: input({ ...keys, pointId: Id }),
  OfPart: input({ deviceId: Id, pointId: Id }),
  Query: input({ ...query, pointId: Id.optional() }),
};
export const ofCommand = {
  Add: input({ ...add, commandId: Id }),
  ByKeys: input({ ...keys, commandId: Id }),
  OfPart: input({ deviceId: Id, commandId: Id }),
  Query: input({ ...query, commandId: Id.optional() }),
};
export const ofEvent = {
  Add: input({ ...add, eventId: Id }),
  ByKeys: input({ ...keys, eventId: Id }),
  OfPart: input({ deviceId: Id, eventId: Id }),
  Query: input({ ...query, eventId: Id.optional() }),
};

/** The part that a config is for; absent in a config for the driver's own attribute. */
type PartId = {
  pointId?: string | undefined;
  commandId?: string | undefined;
  eventId?: string | undefined;
};
export type AddConfig = z.infer<typeof ofDriver.Add> & PartId;
export type ByKeys = z.infer<typeof ofDriver.ByKeys> & PartId;
export type OfPart = { deviceId: string } & PartId;
export type ConfigQuery = z.infer<typeof ofDriver.Query> & PartId;
