import type { AttributeType } from '../../bus/topic/topics.ts';
import { BadRequest } from '../../kernel/errors.ts';
import type { AlarmTarget } from '../kind/alarm.ts';

/** What a rule watches; `type` is that of its point, null where it watches every point. */
export type Watches = {
  target: AlarmTarget;
  type: AttributeType | null;
  /** The types of the other points that it names. */
  points?: ReadonlyMap<string, AttributeType>;
};
/** What is wrong with a rule, and where. */
export type Wrong = { at: string; why: string };

export function refusalOf({ at, why }: Wrong): BadRequest {
  const path = `ruleExt.content.${at}`;
  return new BadRequest(`${path}: ${why}`, { fields: { [path]: why } });
}
