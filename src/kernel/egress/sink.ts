import { createEgress, type Egress } from './egress.ts';

/** Kinds of targets that tenants or programs name; each has an egress of its own. `client`: documents of OAuth clients. */
const SINKS = ['provider', 'webhook', 'sms', 'mqtt', 'http', 'client'] as const;
type Sink = (typeof SINKS)[number];

/** Allowed `host:port` by sink. */
export type EgressAllow = Readonly<Record<Sink, readonly string[]>>;

/** An egress for each sink of a center; they share neither allowed targets nor connections. A driver opens its own. */
export type EgressBySink = Readonly<Record<Exclude<Sink, 'mqtt' | 'http'> | 'operator', Egress>> & {
  close(): Promise<void>;
};

const ENTRY = new RegExp(`^(?:(${SINKS.join('|')}):)?([^:]+:\\d+|\\[[^\\]]+\\]:\\d+)$`);

/** Parses `[provider:|webhook:|sms:|mqtt:|http:|client:]host:port`; without a prefix the sink is `provider`. */
export function sinkEntry(text: string): { sink: Sink; hostPort: string } {
  const [, named, hostPort = text] = ENTRY.exec(text) ?? [];
  return { sink: SINKS.find((sink) => sink === named) ?? 'provider', hostPort };
}

export const allowedBySink = (entries: readonly string[]): EgressAllow => {
  const of = (sink: Sink): string[] =>
    entries
      .map(sinkEntry)
      .filter((entry) => entry.sink === sink)
      .map(({ hostPort }) => hostPort);
  return {
    provider: of('provider'),
    webhook: of('webhook'),
    sms: of('sms'),
    mqtt: of('mqtt'),
    http: of('http'),
    client: of('client'),
  };
};

/**
 * Opens the egress of every sink, and that of the operator's own model through its proxy, which reaches the addresses of
 * both whatever they resolve to; throws TypeError for an entry that is not `host:port`.
 */
export function openEgress(allow: EgressAllow, operator: readonly string[] = []): EgressBySink {
  const ways = {
    provider: createEgress({ allow: allow.provider }),
    webhook: createEgress({ allow: allow.webhook }),
    sms: createEgress({ allow: allow.sms }),
    client: createEgress({ allow: allow.client }),
    operator: createEgress({ allow: operator }),
  };
  return {
    ...ways,
    async close() {
      await Promise.all(Object.values(ways).map((way) => way.close()));
    },
  };
}
