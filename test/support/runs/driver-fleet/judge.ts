import { z } from 'zod';

import { AlarmTarget, AlarmType } from '../../../../src/alarm/kind/alarm.ts';
import type { Population } from './population.ts';

type Query = (text: string) => Promise<unknown[]>;
type Judged = { facts: string[]; wrong: string[] };

const Extremes = z.object({
  deviceName: z.string(),
  pointName: z.string(),
  least: z.number(),
  most: z.number(),
  count: z.coerce.number(),
});
const Alarm = z.object({
  deviceName: z.string().nullable(),
  message: z.string(),
  at: z.string(),
});

/** Of each device. */
const POINTS = ['temperature', 'set-point'];

/** Names of the points without a stored value. */
export async function pointsWithoutValue(
  query: Query,
  { endpoints }: Pick<Population, 'endpoints'>,
): Promise<string[]> {
  const rows = await query(`select distinct p.point_name || ' of ' || d.device_name as name
    from svc_point_value v join svc_device d on d.tenant_id = v.tenant_id and d.id = v.device_id
      join svc_point p on p.tenant_id = v.tenant_id and p.id = v.point_id`);
  const found = new Set(
    z
      .array(z.object({ name: z.string() }))
      .parse(rows)
      .map((row) => row.name),
  );
  const all = endpoints.flatMap((name) => POINTS.map((point) => `${point} of ${name}`));
  return all.filter((name) => !found.has(name));
}

/** Values that the device of their point cannot have shown, and points without a value. */
export async function strayValuesOf(query: Query, population: Population): Promise<Judged> {
  const rows = await query(`select d.device_name as "deviceName", p.point_name as "pointName",
      min(v.num_value) as least, max(v.num_value) as most, count(*) as count
    from svc_point_value v join svc_device d on d.tenant_id = v.tenant_id and d.id = v.device_id
      join svc_point p on p.tenant_id = v.tenant_id and p.id = v.point_id
    group by d.device_name, p.point_name`);
  let count = 0;
  const stray: string[] = [];
  for (const row of z.array(Extremes).parse(rows)) {
    count += row.count;
    const { deviceName, pointName, least, most } = row;
    // A range holds what is between its ends.
    if (![least, most].every((value) => population.isOwn(deviceName, pointName, value)))
      stray.push(`${pointName} of ${deviceName} has ${least} to ${most}`);
  }
  const wrong = stray.length > 0 ? [`${stray.length} points have values of others`] : [];
  const missing = await pointsWithoutValue(query, population);
  for (const name of missing) wrong.push(`no value of ${name}`);
  return {
    facts: [`${count} values of ${rows.length} points stored`],
    wrong: [...wrong, ...stray],
  };
}

/**
 * Devices that have more or fewer alarms than outages, and drivers with any. One more is right for each time that a
 * device had no answer for as long as its registration lasts.
 */
export async function alarmsOf(
  query: Query,
  { outages, silences, historyOf }: Pick<Population, 'outages' | 'silences' | 'historyOf'>,
): Promise<Judged> {
  const rows = await query(`select d.device_name as "deviceName", a.message,
      to_char(a.create_time at time zone 'UTC', 'MI:SS.MS') as at
    from svc_entity_alarm a left join svc_device d on d.tenant_id = a.tenant_id and d.id = a.device_id
    where a.alarm_type_flag in (${AlarmType.OFFLINE}, ${AlarmType.STATE_FLIP})
      and a.alarm_target_type_flag in (${AlarmTarget.DEVICE}, ${AlarmTarget.DRIVER})
    order by a.id`);
  const alarms = z.array(Alarm).parse(rows);
  const of = (name: string | null) => alarms.filter(({ deviceName }) => deviceName === name);
  const names = new Set([...outages.keys(), ...alarms.map(({ deviceName }) => deviceName)]);
  const wrong = [...names].flatMap((name) => {
    const expected = outages.get(name ?? '') ?? 0;
    const most = expected + (silences.get(name ?? '') ?? 0);
    const got = of(name);
    if (got.length >= expected && got.length <= most) return [];
    const said = got.map(({ at, message }) => `${message} at ${at}`).join('; ');
    const what = `${name ?? 'a driver'}: ${expected} outages, ${got.length} alarms: ${said}`;
    return [`${what}; it was ${historyOf(name ?? '')}`];
  });
  const sumOf = (counts: ReadonlyMap<string, number>) =>
    [...counts.values()].reduce((all, one) => all + one, 0);
  return {
    facts: [
      `${sumOf(outages)} outages, ${alarms.length} alarms of outages`,
      `${sumOf(silences)} times a device that was on had no answer for a whole lifetime, by losses in a row`,
    ],
    wrong,
  };
}
