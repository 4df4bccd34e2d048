import { z } from 'zod';

import { matches } from '../condition/condition.ts';
import { fieldIn, isFormula } from '../kind/condition.ts';
import { DEVIATIONS } from '../kind/fact-field.ts';
import { formulaOf, isDifference } from '../kind/formula.ts';
import { Content } from '../kind/rule-ext.ts';

/** What an alarm of a rule says of the sensor itself: it does not move, moves alone, or not as another point. */
export type SensorDoubt = 'STUCK' | 'DRIFTING' | 'DIFFERING';

const Fired = z.object({ condition: Content.shape.condition, window: Content.shape.window });

/**
 * The doubt that the rule of an alarm has of a sensor, by what it compares: a change over a time that is met by none
 * (stuck), another change or rate (drifting), how far two points are apart, or a device from its group (differing); null
 * for any other rule.
 */
export function sensorDoubtOf(alarmExt: Record<string, unknown>): SensorDoubt | null {
  const { data } = Fired.safeParse(alarmExt);
  if (!data) return null;
  const { condition, window } = data;
  if (DEVIATIONS.has(fieldIn(condition) ?? '')) return 'DIFFERING';
  if (window.mode === 'DELTA' || window.mode === 'RATE') {
    if (!('field' in condition) || condition.field === undefined) return null;
    return matches(condition, { [condition.field]: 0 }) === true ? 'STUCK' : 'DRIFTING';
  }
  return isFormula(condition) && isDifference(formulaOf(condition.formula)) ? 'DIFFERING' : null;
}
