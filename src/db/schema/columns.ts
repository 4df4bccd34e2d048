import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** 64-bit integers travel as decimal strings. */
export type Int8 = ColumnType<string, string | number, string | number>;
export type Time = ColumnType<Date, Date, Date>;
export type Json = ColumnType<Record<string, unknown>, string, string>;
export type DefaultTime = ColumnType<Date, Date | undefined, Date>;
export type OptionalTime = ColumnType<Date | null, Date | null | undefined, Date | null>;
export type DefaultInt8 = ColumnType<string, string | number | undefined, string | number>;
/** Null until it is known. */
export type OptionalJson = ColumnType<
  Record<string, unknown> | null,
  string | null | undefined,
  string | null
>;
export type DefaultJson = ColumnType<Record<string, unknown>, string | undefined, string>;

/** Creator and last operator of a row. */
export type Audit = {
  remark: Generated<string>;
  creatorId: DefaultInt8;
  creatorName: Generated<string>;
  createTime: DefaultTime;
  operatorId: DefaultInt8;
  operatorName: Generated<string>;
  operateTime: DefaultTime;
};

/** A row of a tenant that can be disabled, with optimistic locking. */
export type Versioned = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};
