import type { Clock } from '../core/clock.ts';

type At = { clock: Clock };
type Who = { principalId: string; name: string };

/** Columns of a row that say who changed it last, and when. */
export const touched = ({ clock }: At, { principalId, name }: Who) => ({
  operatorId: principalId,
  operatorName: name,
  operateTime: new Date(clock.now()),
});

/** Columns of a new row that say who made it, and when. */
export const created = (app: At, who: Who) => ({
  creatorId: who.principalId,
  creatorName: who.name,
  createTime: new Date(app.clock.now()),
  ...touched(app, who),
});
