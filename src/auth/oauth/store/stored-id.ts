import { createHash } from 'node:crypto';

/** Kinds with a secret id: the database keeps only its digest, so that a copy of it opens nothing. */
const SECRET_IDS: ReadonlySet<string> = new Set([
  'AccessToken',
  'ClientCredentials',
  'RefreshToken',
  'RefreshAnswer',
  'AuthorizationCode',
]);

export const isSecretId = (kind: string): boolean => SECRET_IDS.has(kind);

/** The id as stored. */
export const storedId = (kind: string, id: string): string =>
  isSecretId(kind) ? createHash('sha256').update(id).digest('base64url') : id;
