import { z } from 'zod';

import { isPublicKey, type Vapid } from './push-message.ts';

/** Bytes in base64url, as the Push API writes them. */
export const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url');
const Base64url = z.string().regex(/^[A-Za-z0-9_-]{1,128}={0,2}$/, 'must be base64url');

/** What the Push API of a browser answers (`PushSubscription.toJSON()`). */
export const Subscription = z.object({
  endpoint: z.string().min(1).max(2_048),
  p256dh: Base64url.refine(
    (key) => isPublicKey(bytesOf(key)),
    'must be a public key of P-256, 65 bytes',
  ),
  auth: Base64url.refine((secret) => bytesOf(secret).length === 16, 'must be 16 bytes'),
});

/** A browser of a person, as it is stored. */
export const Browser = Subscription.extend({
  principalId: z.string(),
  name: z.string(),
  /** ISO-8601. */
  since: z.string(),
});
export type Browser = z.output<typeof Browser>;

/** The browsers that get a message, and the key pair that signs its requests (RFC 8292). */
export type Push = { browsers: readonly Browser[]; vapid: Vapid };
