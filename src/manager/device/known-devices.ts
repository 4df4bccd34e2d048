import { sql } from 'kysely';

import type { Payload } from '../../bus/topic/topics.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { slot } from '../../kernel/slot.ts';

type State = Payload<'svc.e.state'>;
type Known = NonNullable<State['known']>;

/** Updates in transit make one heartbeat differ, but rarely two in a row. */
const DIFFERS = 2;
/** Shortest time between two requests to one node to register again. */
const ASK_MS = 300_000;
const MAX_NODES = 10_000;

type Node = { differs: number; askedAt: number };
const DRIVER_NODES = slot(() => new Map<string, Node>());

/**
 * Compares the devices and versions that a node reports with those it was sent. A node that differs in two
 * heartbeats has lost updates (on a broker without its queue, say) and is asked to register again.
 */
export async function compareKnown(app: App, state: State): Promise<void> {
  const { driverCode, node, known } = state;
  if (!known) return;
  const nodes = app.of(DRIVER_NODES);
  const name = JSON.stringify([driverCode, node]);
  const sent = await sentTo(app, driverCode);
  const last = nodes.get(name) ?? { differs: 0, askedAt: Number.NEGATIVE_INFINITY };
  const isSame = sent.devices === known.devices && sent.versions === known.versions;
  const differs = isSame ? 0 : last.differs + 1;
  const now = app.clock.now();
  const asks = differs >= DIFFERS && now - last.askedAt >= ASK_MS;
  nodes.delete(name);
  nodes.set(name, { differs: asks ? 0 : differs, askedAt: asks ? now : last.askedAt });
  for (const oldest of nodes.keys()) {
    if (nodes.size <= MAX_NODES) break;
    nodes.delete(oldest);
  }
  if (!asks) return;
  app.log.warn({ driverCode, node, known, sent }, 'driver node has lost device updates');
  const message = { kind: 'resync', driverCode, node } as const;
  await app.bus.publish('svc.e.metadata', message, { key: driverCode });
}

/** Number and versions of the driver's devices in enabled tenants, as a registration sends them. */
async function sentTo(app: App, driverCode: string): Promise<Known> {
  const { rows } = await acrossTenants(app.db, 'registrar', (q) =>
    sql<Known>`
      select count(*)::integer as devices, coalesce(sum(d.metadata_version), 0)::text as versions
      from svc_driver v join svc_tenant t on t.id = v.tenant_id and t.enable_flag = 0
      join svc_device d on d.tenant_id = v.tenant_id and d.driver_id = v.id
      join svc_profile p on p.tenant_id = d.tenant_id and p.id = d.profile_id
      where v.driver_code = ${driverCode}`.execute(q),
  );
  return rows[0] ?? { devices: 0, versions: '0' };
}
