import { isDeepStrictEqual } from 'node:util';

import type { App } from '../../app.ts';
import { seal, unseal } from '../../core/secret/sealed.ts';

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
 * Whether a channel could hand its secret to somebody it was not given for: who may change a channel
 * must not learn the secret by having it sent to an address, or written into a text, of their own. What
 * settings make of it only their gateway knows, so that any change of them counts.
 */
export function leadsElsewhere(before: Destination, after: Destination): boolean {
  const origin = originOf(after.target);
  return (
    (origin !== null && origin !== originOf(before.target)) ||
    !isDeepStrictEqual(before.settings, after.settings)
  );
}

/** Whatever a URL parser reads as an address is one, however it is spelled. */
function originOf(target: string): string | null {
  const url = URL.parse(target);
  return url && url.host !== '' ? `${url.protocol}//${url.host}` : null;
}
