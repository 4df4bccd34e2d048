import type { App } from '../../app.ts';
import { seal, unseal } from '../../core/sealed.ts';

type Owner = { tenantId: string; id: string };
const place = ({ tenantId, id }: Owner) => ({ table: 'svc_notify_channel', tenantId, id });

/** A channel's secret as it is stored; empty where there is none. */
export const sealCredential = ({ keys }: App, owner: Owner, secret: string): string =>
  secret === '' ? '' : seal(keys.channelCredential, place(owner), secret);

/** Null when what is stored cannot be opened: another key, row or tenant. */
export const openCredential = ({ keys }: App, owner: Owner, stored: string): string | null =>
  stored === '' ? '' : unseal(keys.channelCredential, place(owner), stored);

type Destination = { target: string; settings: unknown };

/**
 * Whether a channel would hand its secret to somebody it was not given for: who may change an address
 * must not learn the secret by having it sent there.
 */
export function leadsElsewhere(before: Destination, after: Destination): boolean {
  const known = new Set(originsOf([before.target, before.settings]));
  return originsOf([after.target, after.settings]).some((origin) => !known.has(origin));
}

/** The origins of all addresses in a value, however deep (its size is bounded where it is taken in). */
function originsOf(value: unknown): string[] {
  if (typeof value === 'string') {
    // Whatever a URL parser reads as an address is one, however it is spelled.
    const url = URL.parse(value);
    return url && url.host !== '' ? [`${url.protocol}//${url.host}`] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(originsOf);
}
