import { type FiringCauses, firingCauses } from '../../alarm/explain/firing-causes.ts';
import { type Unnotified, unnotifiedIn } from '../../alarm/ledger/unnotified.ts';
import { searchIn } from '../../alarm/search/search.ts';
import { allows } from '../../auth/permission/permission.ts';
import { silentPoints } from '../../data/silence/silent.ts';
import { searchIn as valuesIn, type ValueNow } from '../../data/silence/value-search.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { type Outages, outagesIn } from './outages.ts';

/** What is not as it should be; a part is null for a caller that may not read it. */
export type Unhealthy = {
  causes: FiringCauses | null;
  /** Recovered alarms of P0 and P1 without a confirmation. */
  unconfirmed: { rows: { alarmId: string; level: string; what: string }[]; more: boolean } | null;
  unnotified: Unnotified[] | null;
  outages: Outages | null;
  silent: number | null;
  bad: { rows: ValueNow[]; total: number } | null;
};

const ALARMS = 'svc-center-data:dashboard:list';
const DEVICES = 'svc-center-manager:device:list';
const VALUES = 'svc-center-data:point_value:list';

const MAX_UNCONFIRMED = 4;
const MAX_BAD = 4;

/** The state of the plant at present, worst first within each part; in one trip. */
export const unhealthy: Operation<object, Unhealthy> = (app, caller) =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    const now = app.clock.now();
    const { tenantId } = caller;
    const may = (right: string): boolean => allows(caller, right);
    const worst = { quality: 'BAD', limit: MAX_BAD } as const;
    const [causes, urgent, next, unnotified, outages, silent, bad] = await Promise.all([
      may(ALARMS) ? firingCauses(q, tenantId) : null,
      may(ALARMS) ? unconfirmedOf(q, tenantId, 'P0', now) : null,
      may(ALARMS) ? unconfirmedOf(q, tenantId, 'P1', now) : null,
      may(ALARMS) ? unnotifiedIn(q, tenantId, now) : null,
      may(DEVICES) ? outagesIn(q, tenantId, { since: new Date(now), now }) : null,
      may(VALUES) ? silentPoints(q, tenantId, now) : null,
      may(VALUES) ? valuesIn(q, caller, worst, now) : null,
    ]);
    const rows = [...(urgent?.rows ?? []), ...(next?.rows ?? [])];
    const more = urgent?.more === true || next?.more === true || rows.length > MAX_UNCONFIRMED;
    return {
      causes,
      unconfirmed: urgent && { rows: rows.slice(0, MAX_UNCONFIRMED), more },
      unnotified,
      outages,
      silent,
      bad: bad && { rows: bad.values, total: bad.total },
    };
  });

async function unconfirmedOf(q: Queries, tenantId: string, level: 'P0' | 'P1', now: number) {
  const limit = MAX_UNCONFIRMED;
  const found = await searchIn(q, tenantId, { state: 'RECOVERED', level, limit, now });
  const open = found.alarms.filter(({ confirmed }) => !confirmed);
  return {
    rows: open.map(({ alarmId, level: of, message }) => ({ alarmId, level: of, what: message })),
    more: found.next !== null,
  };
}
