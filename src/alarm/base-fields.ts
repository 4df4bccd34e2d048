/** Fields that every entity of the alarm center has (docs/specification/objects.md, Common fields). */
export type Base = {
  id: string;
  remark: string;
  creatorId: string;
  creatorName: string;
  createTime: string;
  operatorId: string;
  operatorName: string;
  operateTime: string;
};

type BaseRow = Omit<Base, 'createTime' | 'operateTime'> & { createTime: Date; operateTime: Date };

export const baseOf = (row: BaseRow): Base => ({
  id: row.id,
  remark: row.remark,
  creatorId: row.creatorId,
  creatorName: row.creatorName,
  createTime: row.createTime.toISOString(),
  operatorId: row.operatorId,
  operatorName: row.operatorName,
  operateTime: row.operateTime.toISOString(),
});
