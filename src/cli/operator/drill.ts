import { drill, Drill, type DrillAnswer } from '../../alarm/deliver/drill.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { ConfigError } from '../../kernel/process/config.ts';
import { inZone } from '../../kernel/sentence/time-zone.ts';
import type { Composition } from '../../start/composition.ts';

export type DrillOptions = {
  rule?: string;
  device?: string;
  at?: string;
  hours: string;
  failing?: string[];
  tenant: string;
};

/**
 * `svc drill`: prints which channels would get the alarm of a rule, or of a device that is away, at a time, and when;
 * nothing is sent.
 */
export async function drillCommand(
  { createApp, readSettings }: Composition,
  { rule, device, at, hours, failing = [], tenant }: DrillOptions,
): Promise<void> {
  if ((rule === undefined) === (device === undefined))
    throw new ConfigError('name a rule (--rule) or a device (--device)');
  const config = readSettings();
  // No message is sent: without the bus, an unreachable broker does not prevent it.
  const app = await createApp({ ...config, bus: { ...config.bus, amqpUrl: null } });
  try {
    const { tenantId, timezone } = await tenantNamed(app, tenant);
    const of = await named(app, tenantId, rule === undefined ? 'device' : 'rule', rule ?? device);
    const away: string[] = [];
    for (const each of failing) away.push((await named(app, tenantId, 'channel', each)).id);
    const caller = {
      tenantId,
      principalId: '0',
      principalType: 'SYSTEM',
      name: 'command line',
      via: 'system',
      permissions: new Set<string>(),
    } as const;
    const asked = Drill.parse({
      ...(rule === undefined ? { deviceId: of.id } : { ruleId: of.id }),
      failing: away,
      at: at === undefined ? app.clock.now() : momentIn(at, timezone),
      hours: Number(hours),
    });
    const answer = await drill(app, caller, asked);
    process.stdout.write(
      `${linesOf(`${of.name} (${answer.level}) ${rule === undefined ? 'is away' : 'fires'}`, answer, timezone).join('\n')}\n`,
    );
  } finally {
    await app.bus.close();
    await app.db.close();
  }
}

async function tenantNamed(app: App, code: string) {
  const found = await acrossTenants(app.db, 'login', (q) =>
    q
      .selectFrom('svc_tenant')
      .select(['id as tenantId', 'timezone'])
      .where('tenantCode', '=', code)
      .executeTakeFirst(),
  );
  if (!found) throw new ConfigError(`there is no tenant ${code}`);
  return found;
}

type Sought = { tenantId: string; name: string; id: string };
/** At most ten of a kind with a name or an id. */
const FOUND = {
  rule: (q: Queries, { tenantId, name, id }: Sought) =>
    q
      .selectFrom('svc_rule')
      .select(['id', 'ruleName as name'])
      .where('tenantId', '=', tenantId)
      .where((is) => is.or([is('ruleName', '=', name), is('id', '=', id)]))
      .limit(10)
      .execute(),
  device: (q: Queries, { tenantId, name, id }: Sought) =>
    q
      .selectFrom('svc_device')
      .select(['id', 'deviceName as name'])
      .where('tenantId', '=', tenantId)
      .where((is) => is.or([is('deviceName', '=', name), is('id', '=', id)]))
      .limit(10)
      .execute(),
  channel: (q: Queries, { tenantId, name, id }: Sought) =>
    q
      .selectFrom('svc_notify_channel')
      .select(['id', 'channelName as name'])
      .where('tenantId', '=', tenantId)
      .where((is) => is.or([is('channelName', '=', name), is('id', '=', id)]))
      .limit(10)
      .execute(),
};

/** What has this id, or else the only one with this name. */
async function named(app: App, tenantId: string, what: keyof typeof FOUND, given = '') {
  const id = /^\d{1,18}$/.test(given) ? given : '0';
  const found = await inTenant(app.db, tenantId, (q) =>
    FOUND[what](q, { tenantId, name: given, id }),
  );
  const chosen = found.find((one) => one.id === id) ?? (found.length === 1 ? found[0] : null);
  if (chosen) return chosen;
  throw new ConfigError(
    found.length === 0
      ? `there is no ${what} ${given}`
      : `several ${what}s are named ${given}: ${found.map((one) => one.id).join(', ')}`,
  );
}

/** A time without an offset is one of the plant's clock. */
function momentIn(text: string, timezone: string): string {
  try {
    return /(?:Z|[+-]\d\d:?\d\d)$/i.test(text)
      ? Temporal.Instant.from(text).toString()
      : Temporal.PlainDateTime.from(text).toZonedDateTime(timezone).toInstant().toString();
  } catch {
    throw new ConfigError('--at must be a time such as 2026-11-29T03:00');
  }
}

function linesOf(what: string, answer: DrillAnswer, timezone: string): string[] {
  const { from, to, messages, channels } = answer;
  const time = (at: string): string => inZone(at, timezone).slice(0, 16).replace('T', ' ');
  const sent = messages.map(({ at, taken, channelName, kind, note, waited }) =>
    [
      time(at),
      `${channelName}${kind === 'REMINDER' ? ', reminder' : ''}`,
      taken === null ? 'its receiver does not take it' : note,
      waited && `waited: ${waited.toLowerCase()}`,
    ]
      .filter((part) => part !== '')
      .join('  '),
  );
  const stands = channels.flatMap(({ channelName, knows, waits, deliveries, success }) => [
    ...(knows ? [] : [`${channelName} does not know of it at the end: ${waits}`]),
    ...(success === null
      ? []
      : [
          `${channelName} took ${Math.round(success * 100)} % of ${deliveries} messages in 30 days`,
        ]),
  ]);
  return [
    `${what} from ${time(from)} to ${time(to)} (${timezone}), and no person confirms it:`,
    ...(sent.length === 0 ? ['No channel gets it.'] : sent),
    ...(stands.length === 0 ? [] : ['', ...stands]),
  ];
}
