import { type Chattering, chatteringIn } from '../../alarm/dashboard/performance/chattering.ts';
import { type FiringCauses, firingCauses } from '../../alarm/explain/firing-causes.ts';
import { type Unnotified, unnotifiedIn } from '../../alarm/ledger/unnotified.ts';
import { type FoundAlarm, searchIn } from '../../alarm/search/search.ts';
import { allows } from '../../auth/permission/permission.ts';
import { latestSilent, type SilentPoint, silentPoints } from '../../data/silence/silent.ts';
import { searchIn as valuesIn, type ValueNow } from '../../data/silence/value-search.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { type Behind, behindIn } from '../../manager/firmware/behind.ts';
import { type Outages, outagesIn } from './outages.ts';

/** What is not as it should be; a part is null for a caller that may not read it. */
export type Unhealthy = {
  causes: FiringCauses | null;
  /** Recovered alarms of P0 and P1 without a confirmation. */
  unconfirmed: { rows: FoundAlarm[]; more: boolean } | null;
  unnotified: Unnotified[] | null;
  outages: Outages | null;
  /** Points without a value in time; the rows are those of connected devices. */
  silent: { rows: SilentPoint[]; more: boolean; total: number } | null;
  bad: { rows: ValueNow[]; total: number } | null;
  /** Rules at a place, and outages, that are raised often. */
  chattering: { rows: Chattering[]; total: number } | null;
  /** Firmware for which there is a newer one, by model and version. */
  behind: Behind[] | null;
};

const ALARMS = 'svc-center-data:dashboard:list';
const DEVICES = 'svc-center-manager:device:list';
const VALUES = 'svc-center-data:point_value:list';
const FIRMWARE = 'svc-center-manager:firmware:list';

const MAX_UNCONFIRMED = 4;
const MAX_BAD = 4;
const MAX_CHATTERING = 4;
const MAX_SILENT = 4;

/** The state of the plant at present, worst first within each part; in one trip. */
export const unhealthy: Operation<object, Unhealthy> = (app, caller) =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    const now = app.clock.now();
    const { tenantId } = caller;
    const ifMay = <T>(right: string, read: () => Promise<T>): Promise<T> | null =>
      allows(caller, right) ? read() : null;
    const worst = { quality: 'BAD', limit: MAX_BAD } as const;
    const [causes, urgent, next, unnotified, outages, silent, latest, bad, chattering, behind] =
      await Promise.all([
        ifMay(ALARMS, () => firingCauses(q, tenantId)),
        ifMay(ALARMS, () => unconfirmedOf(q, tenantId, 'P0', now)),
        ifMay(ALARMS, () => unconfirmedOf(q, tenantId, 'P1', now)),
        ifMay(ALARMS, () => unnotifiedIn(q, tenantId, now)),
        ifMay(DEVICES, () => outagesIn(q, tenantId, { since: new Date(now), now })),
        ifMay(VALUES, () => silentPoints(q, tenantId, now)),
        ifMay(VALUES, () => latestSilent(q, tenantId, { now, limit: MAX_SILENT })),
        ifMay(VALUES, () => valuesIn(q, caller, worst, now)),
        ifMay(ALARMS, () => chatteringIn(q, tenantId, { now, limit: MAX_CHATTERING })),
        ifMay(FIRMWARE, async () => ifMay(VALUES, () => behindIn(q, tenantId))),
      ]);
    const rows = [...(urgent?.rows ?? []), ...(next?.rows ?? [])];
    const more = urgent?.more === true || next?.more === true || rows.length > MAX_UNCONFIRMED;
    return {
      causes,
      unconfirmed: urgent && { rows: rows.slice(0, MAX_UNCONFIRMED), more },
      unnotified,
      outages,
      silent: latest && { ...latest, total: silent ?? 0 },
      bad: bad && { rows: bad.values, total: bad.total },
      chattering,
      behind,
    };
  });

async function unconfirmedOf(q: Queries, tenantId: string, level: 'P0' | 'P1', now: number) {
  const limit = MAX_UNCONFIRMED;
  const found = await searchIn(q, tenantId, { state: 'RECOVERED', level, limit, now });
  return { rows: found.alarms.filter(({ confirmed }) => !confirmed), more: found.next !== null };
}
