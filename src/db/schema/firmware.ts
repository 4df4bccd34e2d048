import type { Generated, GeneratedAlways } from 'kysely';

import type { Audit, DefaultInt8, DefaultJson, Int8, OptionalTime } from './columns.ts';

export type FirmwarePackageTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  packageName: string;
  packageVersion: string;
  size: Int8;
  sha256: string;
  packageUri: Generated<string>;
  packageModel: Generated<string>;
};

export type FirmwareChunkTable = {
  tenantId: Int8;
  packageId: Int8;
  chunk: number;
  content: Buffer;
};

export type FirmwareRolloutTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  rolloutName: string;
  packageId: Int8;
  packageName: string;
  packageVersion: string;
  size: Int8;
  sha256: string;
  packageUri: Generated<string>;
  waveSize: number;
  failurePercent: number;
  minutes: number;
  status: 'PROPOSED' | 'REJECTED' | 'RUNNING' | 'PAUSED' | 'STOPPED' | 'DONE';
  why: Generated<string>;
  total: number;
  wave: Generated<number>;
  expireTime: OptionalTime;
  endTime: OptionalTime;
  actionId: Generated<string | null>;
  proposerId: DefaultInt8;
  clientId: Generated<string>;
  held: Generated<string>;
};

type UpdateStatus =
  | 'PROPOSED'
  | 'WAITING'
  | 'BEGUN'
  | 'SENDING'
  | 'DOWNLOADED'
  | 'UPDATING'
  | 'VERIFIED'
  | 'FAILED'
  | 'MISMATCH'
  | 'UNKNOWN'
  | 'CANCELLED';

export type FirmwareUpdateTable = {
  tenantId: Int8;
  rolloutId: Int8;
  deviceId: Int8;
  updateId: string;
  position: number;
  wave: Generated<number>;
  status: Generated<UpdateStatus>;
  sentBytes: DefaultInt8;
  objectState: number | null;
  updateResult: number | null;
  versionBefore: string | null;
  versionNow: string | null;
  pushes: Generated<number>;
  executions: Generated<number>;
  answer: Generated<'NONE' | 'SENT' | 'ACCEPTED' | 'REFUSED'>;
  session: Generated<string>;
  resultBefore: number | null;
  message: Generated<string>;
  beginTime: OptionalTime;
  nextTime: OptionalTime;
  heardTime: OptionalTime;
  dueTime: OptionalTime;
  endTime: OptionalTime;
  endedAs: 'UNKNOWN' | 'MISMATCH' | null;
  correction: Generated<string>;
  correctedTime: OptionalTime;
  allowedTime: OptionalTime;
  target: DefaultJson;
  code: Generated<string>;
};
