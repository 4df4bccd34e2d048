import type { Clock } from '../kernel/clock.ts';

type At = { clock: Clock };
type Who = { principalId: string; name: string };

/** Columns for the last change of a row: operator and time. */
export const touched = ({ clock }: At, { principalId, name }: Who) => ({
  operatorId: principalId,
  operatorName: name,
  operateTime: new Date(clock.now()),
});

/** Columns for the creation of a row: creator and time. */
export const created = (app: At, who: Who) => ({
  creatorId: who.principalId,
  creatorName: who.name,
  createTime: new Date(app.clock.now()),
  ...touched(app, who),
});
