import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { rulesWords } from '../../word/rules.ts';

type Rule = Schemas['Rule'];
/** What a rule watches, by name; null where the name is not known. */
export type Watched = { what: string | null; where: string | null };

/** The names of what rules watch: a point of every device that has it, or an event or report of one device. */
export function useWatched(rules: readonly Rule[]): (rule: Rule) => Watched {
  const w = rulesWords();
  const of = (...targets: Rule['alarmTargetTypeFlag'][]) =>
    rules
      .filter((rule) => targets.includes(rule.alarmTargetTypeFlag) && rule.entityId !== '0')
      .map(({ entityId }) => entityId);
  const points = useNames('point', of('POINT'));
  const devices = useNames('device', of('DEVICE', 'EVENT'));
  const drivers = useNames('driver', of('DRIVER'));
  return ({ alarmTargetTypeFlag: target, entityId }) => {
    if (target === 'POINT')
      return {
        what: entityId === '0' ? w.anyPoint : (points[entityId] ?? null),
        where: w.every.POINT,
      };
    const names = target === 'DRIVER' ? drivers : devices;
    const where = entityId === '0' ? w.every[target] : (names[entityId] ?? null);
    return { what: w.form.targets[target], where };
  };
}

function useNames(noun: 'point' | 'device' | 'driver', ids: string[]): Record<string, string> {
  const given = { ids: [...new Set(ids)] };
  const isAsked = given.ids.length > 0 && may(`svc-center-manager:${noun}:list`);
  const points = useAsk(
    'POST /manager/point/list_by_ids',
    isAsked && noun === 'point' ? given : null,
  );
  const devices = useAsk(
    'POST /manager/device/list_by_ids',
    isAsked && noun === 'device' ? given : null,
  );
  const drivers = useAsk(
    'POST /manager/driver/list_by_ids',
    isAsked && noun === 'driver' ? given : null,
  );
  return Object.fromEntries([
    ...Object.values(points.data ?? {}).map(({ id, pointName }) => [id, pointName]),
    ...Object.values(devices.data ?? {}).map(({ id, deviceName }) => [id, deviceName]),
    ...Object.values(drivers.data ?? {}).map(({ id, driverName }) => [id, driverName]),
  ]);
}
