import { EnableFlag, nameOf } from '../../core/input/flag.ts';
import { DefaultFlag } from './default-flag.ts';

/**
 * Common fields in the answers of providers and model configs (docs/specification/objects.md, Common
 * fields; docs/specification/assistant.md, Models).
 */
export type Audited = {
  id: string;
  tenantId: string;
  defaultFlag: keyof typeof DefaultFlag;
  enableFlag: keyof typeof EnableFlag;
  remark: string;
  creatorId: string;
  creatorName: string;
  createTime: string;
  operatorId: string;
  operatorName: string;
  operateTime: string;
};

type Row = Omit<Audited, 'defaultFlag' | 'enableFlag' | 'createTime' | 'operateTime'> & {
  defaultFlag: number;
  enableFlag: number;
  createTime: Date;
  operateTime: Date;
};

export const auditedOf = (row: Row): Audited => ({
  id: row.id,
  tenantId: row.tenantId,
  defaultFlag: nameOf(DefaultFlag, row.defaultFlag),
  enableFlag: nameOf(EnableFlag, row.enableFlag),
  remark: row.remark,
  creatorId: row.creatorId,
  creatorName: row.creatorName,
  createTime: row.createTime.toISOString(),
  operatorId: row.operatorId,
  operatorName: row.operatorName,
  operateTime: row.operateTime.toISOString(),
});
