import { isDeepStrictEqual } from 'node:util';

import type { App } from '../../../kernel/app/app.ts';
import { seal, unseal } from '../../../kernel/secret.ts';

type Owner = { tenantId: string; id: string };
const place = ({ tenantId, id }: Owner) => ({ table: 'svc_notify_channel', tenantId, id });
/** One secret of a channel opens in no place of the other. */
const answerPlace = ({ tenantId, id }: Owner) => ({
  table: 'svc_notify_channel.answer_secret',
  tenantId,
  id,
});

/** A channel's secret, sealed for storage; empty if there is none. */
export const sealCredential = ({ keys }: App, owner: Owner, secret: string): string =>
  secret === '' ? '' : seal(keys.channelCredential, place(owner), secret);

/** Null if the stored secret cannot be unsealed: other key, row or tenant. */
export const openCredential = ({ keys }: App, owner: Owner, stored: string): string | null =>
  stored === '' ? '' : unseal(keys.channelCredential, place(owner), stored);

/** The secret of the answers of a channel's receiver, sealed for storage; empty if there is none. */
export const sealAnswerSecret = ({ keys }: App, owner: Owner, secret: string): string =>
  secret === '' ? '' : seal(keys.channelCredential, answerPlace(owner), secret);

/** Null if there is none, or it cannot be unsealed. */
export const openAnswerSecret = ({ keys }: App, owner: Owner, stored: string): string | null =>
  unseal(keys.channelCredential, answerPlace(owner), stored);

type Destination = { target: string; settings: unknown };

/**
 * Whether a change could send the stored secret to another receiver. A user that may change a channel must
 * not get the secret by redirecting it to another address or into a message text. Only the gateway gives the
 * settings a meaning, so any change of them counts.
 */
export function leadsElsewhere(before: Destination, after: Destination): boolean {
  const origin = originOf(after.target);
  return (
    (origin !== null && origin !== originOf(before.target)) ||
    !isDeepStrictEqual(before.settings, after.settings)
  );
}

/** Any target that parses as a URL with a host has an origin, however it is written. */
function originOf(target: string): string | null {
  const url = URL.parse(target);
  return url && url.host !== '' ? `${url.protocol}//${url.host}` : null;
}
