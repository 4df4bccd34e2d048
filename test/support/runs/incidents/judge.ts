import { z } from 'zod';

import { DATA } from '../../devices/notify.ts';
import type { Session } from '../../people/session.ts';
import type { World } from '../../world/app.ts';
import { incidentOf, type Incident } from './incident.ts';
import { Stage } from './stage.ts';

const Evidence = z.object({
  kind: z.string(),
  id: z.string(),
  deviceId: z.string(),
  at: z.string(),
});
type Evidence = z.output<typeof Evidence>;
const Report = z.object({
  causes: z.array(
    z.looseObject({ kind: z.string(), score: z.number(), evidence: z.array(Evidence).min(1) }),
  ),
});

export type Judged = {
  incident: Incident;
  /** 1: named first; 0: not named. */
  rank: number;
  /** Citations that no read answers. */
  dead: Evidence[];
  causes: z.output<typeof Report>['causes'];
};

/** Lays incidents of the seeds, asks for the report of each alarm, and reads what it cites. */
export async function judged(
  world: World,
  session: Session,
  seeds: readonly number[],
): Promise<Judged[]> {
  const stage = await Stage.open(world, session);
  const all: Judged[] = [];
  for (const [index, seed] of seeds.entries()) {
    const incident = incidentOf(seed);
    const { alarmId, kind, id, at } = await stage.lay(incident, index);
    const { causes } = Report.parse(
      await session.data(`${DATA}/dashboard/alert/report`, undefined, { alarmId }),
    );
    const isPlanted = (one: Evidence): boolean =>
      one.kind === kind && one.id === id && Date.parse(one.at) === at;
    const rank = causes.findIndex(({ evidence }) => evidence.some(isPlanted)) + 1;
    const dead: Evidence[] = [];
    for (const one of causes.flatMap(({ evidence }) => evidence))
      if (!(await resolves(session, one))) dead.push(one);
    all.push({ incident, rank, dead, causes });
  }
  return all;
}

const Records = z.object({ records: z.array(z.looseObject({ entityId: z.string() })) });
const Values = z.array(z.looseObject({ createTime: z.string() }));

/** Whether the read that its kind names answers the citation. */
async function resolves(session: Session, { kind, id, deviceId, at }: Evidence): Promise<boolean> {
  const after = new Date(Date.parse(at) + 1).toISOString();
  switch (kind) {
    case 'alarm':
      return (await session.get(`${DATA}/dashboard/alert/report`, { alarmId: id })).status === 200;
    case 'command': {
      const path = `${DATA}/point_command_history/get_by_command_id`;
      return (await session.get(path, { commandId: id })).status === 200;
    }
    case 'action':
      return (await session.get('/api/v3/agentic/action/get', { actionId: id })).status === 200;
    case 'maintenance':
      return (await session.get(`${DATA}/maintenance/get_by_id`, { id })).status === 200;
    case 'change': {
      const { records } = Records.parse(
        await session.data(`${DATA}/change/list`, { since: at, until: after }),
      );
      return records.some(({ entityId }) => entityId === id);
    }
    default: {
      const path = `${DATA}/point_value/list_history_by_device_id_and_point_id`;
      const given = { deviceId, pointId: id, from: at, to: at };
      return Values.parse(await session.data(path, undefined, given)).length > 0;
    }
  }
}

/** The share of incidents whose cause is among the first `most`. */
export const shareNamed = (all: readonly Judged[], most: number): number =>
  all.filter(({ rank }) => rank > 0 && rank <= most).length / all.length;
