import { MaintenanceMode, MaintenanceScope } from '../../alarm/alarm/in-maintenance.ts';
import * as maintenance from '../../alarm/alarm/maintenance.ts';
import type { Queries } from '../../db/connect.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { counted } from '../../kernel/sentence/counted.ts';
import type { AlarmCard } from '../action/kind/alarm-card.ts';

type Card = Extract<AlarmCard, { does: 'MAINTENANCE' }>;

/** What a caller asks for: times are ISO-8601, without a begin it begins when it is confirmed. */
export type MaintenanceAsk = Omit<Card, 'places' | 'devices' | 'firing'>;

/** The card of a maintenance, with what it would cover at `now` (ms). Throws NotFound, BadRequest. */
export async function maintained(
  q: Queries,
  tenantId: string,
  ask: MaintenanceAsk,
  now: number,
): Promise<Card> {
  const { does, maintenanceName, scope, entityIds, mode, begin, end } = ask;
  maintenance.demandSpan(beginOf(ask, now), Date.parse(end), now);
  if ((scope === 'PLANT') !== (entityIds.length === 0))
    throw new BadRequest('A maintenance is for what it names, or for the whole plant');
  const place = { scopeFlag: MaintenanceScope[scope], entityIds };
  const covered = await maintenance.coveredBy(q, tenantId, place);
  return { does, maintenanceName, scope, entityIds, mode, begin, end, ...covered };
}

/** What was notified before the confirmation was not muted. */
const beginOf = ({ begin }: MaintenanceAsk, now: number): number =>
  begin === null ? now : Math.max(now, Date.parse(begin));

type Confirmed = { alarm: Card; reason: string; now: number };

/** Stores it, owned by the person that confirmed it; answers its id. */
export function maintain(
  app: App,
  q: Queries,
  caller: Caller,
  { alarm, reason, now }: Confirmed,
): Promise<string> {
  const { maintenanceName, scope, entityIds, mode, end } = alarm;
  return maintenance.addIn(app, q, caller, {
    maintenanceName,
    scopeFlag: MaintenanceScope[scope],
    entityIds,
    modeFlag: MaintenanceMode[mode],
    beginTime: beginOf(alarm, now),
    endTime: Date.parse(end),
    reason,
  });
}

/** Where it covers more than the person was shown, or something of another name. */
export function changesOfMaintenance(old: Card, fresh: Card): string[] {
  return [
    ...(old.places.join('\n') === fresh.places.join('\n') ? [] : ['the names of what it is for']),
    ...(fresh.devices > old.devices
      ? [`it covers ${counted(fresh.devices, 'device')}, not ${old.devices}`]
      : []),
    ...(fresh.mode === 'MUTE' && fresh.firing > old.firing
      ? [`${counted(fresh.firing, 'alarm')} would be muted, not ${old.firing}`]
      : []),
  ];
}
