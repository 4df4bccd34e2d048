import { createEgress, type Egress } from './egress.ts';

/** What tenants make the platform send requests for; each has a way out of its own. */
const SINKS = ['provider', 'webhook', 'sms'] as const;
type Sink = (typeof SINKS)[number];

/** `host:port` by the sink it is opened for. */
export type EgressAllow = Readonly<Record<Sink, readonly string[]>>;

/** A way out for each sink; they share neither permissions nor connections. */
export type EgressBySink = Readonly<Record<Sink, Egress>> & { close(): Promise<void> };

const ENTRY = new RegExp(`^(?:(${SINKS.join('|')}):)?([^:]+:\\d+|\\[[^\\]]+\\]:\\d+)$`);

/** `[provider:|webhook:|sms:]host:port` in its parts; an entry that names no sink is a provider's. */
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
  return { provider: of('provider'), webhook: of('webhook'), sms: of('sms') };
};

/** Opens every way out; throws TypeError for an entry that is not `host:port`. */
export function openEgress(allow: EgressAllow): EgressBySink {
  const ways = {
    provider: createEgress({ allow: allow.provider }),
    webhook: createEgress({ allow: allow.webhook }),
    sms: createEgress({ allow: allow.sms }),
  };
  return {
    ...ways,
    async close() {
      await Promise.all(SINKS.map((sink) => ways[sink].close()));
    },
  };
}
