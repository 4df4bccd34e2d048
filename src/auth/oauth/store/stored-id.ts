import { createHash, createHmac } from 'node:crypto';

import type { App } from '../../../kernel/app/app.ts';

/** Kinds with a secret id: the database keeps only its digest, so that a copy of it opens nothing. */
const SECRET_IDS: ReadonlySet<string> = new Set([
  'AccessToken',
  'ClientCredentials',
  'RefreshToken',
  'RefreshAnswer',
  'AuthorizationCode',
  'DeviceCode',
]);

export const isSecretId = (kind: string): boolean => SECRET_IDS.has(kind);

/** The id as stored. */
export const storedId = (kind: string, id: string): string =>
  isSecretId(kind) ? createHash('sha256').update(id).digest('base64url') : id;

/** A code that people type, as stored: it is short, so a digest without a key could be searched through. */
export const storedUserCode = ({ keys }: App, code: string): string =>
  createHmac('sha256', keys.oauth).update(`user code ${code}`).digest('base64url');
