import { onboard, report } from '../../tools/agent.ts';
import type { Session } from '../people/session.ts';
import type { World } from '../world/app.ts';
import { addTo } from './notify.ts';

type Given = { severity?: string; threshold?: number; unit?: string; notifyId?: string };

/** A point with a rule that fires above 80 at once; `measure` reports values 100 ms apart. */
export async function watched(world: World, session: Session, name: string, given: Given = {}) {
  const { severity = 'P2', threshold = 80, unit, notifyId } = given;
  const site = await onboard(session, name);
  const content = { condition: { field: 'calValue', operator: '>', threshold, unit }, severity };
  const ruleId = await addTo(session, 'rule', {
    ruleName: `${name} too hot`,
    alarmTargetTypeFlag: 'POINT',
    entityId: site.pointId,
    notifyId,
    ruleExt: { content },
  });
  const measure = async (...values: number[]): Promise<void> => {
    for (const value of values) {
      world.clock.shift(100);
      await report(world, session, site, [value]);
    }
  };
  return { site, ruleId, measure };
}
