import type { GeneratedAlways } from 'kysely';

import type { Audit, DefaultInt8, Int8 } from './columns.ts';

export type ManualTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  manualName: string;
  deviceId: DefaultInt8;
  profileId: DefaultInt8;
  document: string;
  contentType: string;
  size: Int8;
  sha256: string;
  pages: number;
  characters: number;
  wholeFlag: number;
};

export type ManualPageTable = {
  tenantId: Int8;
  manualId: Int8;
  page: number;
  deviceId: Int8;
  profileId: Int8;
  text: string;
  search: string;
};
