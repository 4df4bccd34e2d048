import { createHash, randomBytes } from 'node:crypto';

import type { Audience } from '../oauth/audience.ts';

/** The whole key, and what may be shown and kept of it. */
type Minted = { text: string; prefix: string; digest: string };

const SHAPE = /^(svc_(?:api|mcp)_[\w-]{8})_[\w-]{43}$/;

/** A key: what it is for, eight letters to tell it by, and 256 random bits. */
export function mint(audience: Audience): Minted {
  const prefix = `svc_${audience}_${randomBytes(6).toString('base64url')}`;
  const text = `${prefix}_${randomBytes(32).toString('base64url')}`;
  return { text, prefix, digest: digestOfKey(text) };
}

/** Whether a bearer credential has the form of a key; tokens of the authorization server never have. */
export const isKey = (text: string): boolean => SHAPE.test(text);

/** How a key is kept: it has 256 random bits, so no salt and no slow hash would add anything. */
export const digestOfKey = (text: string): string =>
  createHash('sha256').update(text).digest('base64url');
