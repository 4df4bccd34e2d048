import { randomBytes } from 'node:crypto';

import type { App } from '../../kernel/app/app.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { onFirstUse } from '../../kernel/first-use.ts';
import { bcryptHash, bcryptVerify } from './bcrypt.ts';
import { whyGuessable } from './guessable.ts';
import { gated, type HashClient } from './hash-gate.ts';

const DAY_MS = 86_400_000;

export type StoredPassword = {
  passwordHash: string;
  passwordAlgorithm: 'ARGON2ID' | 'BCRYPT';
};

/** Bytes of a plain password; a longer one is refused before hashing. */
const MAX_PASSWORD_BYTES = 1_024;
const MIN_NEW_PASSWORD = 8;
/** bcrypt ignores further bytes. */
const BCRYPT_BYTES = 72;
const BCRYPT_COST = 12;

const library = onFirstUse(async () => (await import('argon2')).default);
/** OWASP's second choice: 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Hashes of the platform itself: first start and command line. */
const PLATFORM: HashClient = { source: 'platform', isKnown: true };

/**
 * Argon2id at the current parameters (docs/specification/login.md 4.5). Sources take
 * turns; throws TooManyRequests (429) when too many wait.
 */
export async function hashPassword(plain: string, client = PLATFORM): Promise<StoredPassword> {
  const passwordHash = await gated(client, () => argon2Hash(plain));
  return { passwordHash, passwordAlgorithm: 'ARGON2ID' };
}

/** BCRYPT at cost 12, for the seeded admin; Argon2id for a password beyond bcrypt's 72 bytes. */
export async function hashSeededPassword(plain: string): Promise<StoredPassword> {
  if (Buffer.byteLength(plain) > BCRYPT_BYTES) return hashPassword(plain);
  const passwordHash = await gated(PLATFORM, () => bcryptHash(plain, BCRYPT_COST));
  return { passwordHash, passwordAlgorithm: 'BCRYPT' };
}

/**
 * Whether `plain` is the password behind `hash`, by the algorithm the hash itself records. Without a hash
 * (an unknown name) it verifies against the hash of random bytes, which costs the same, and returns false.
 * Sources take turns; throws TooManyRequests (429) when too many wait.
 */
export async function verifyPassword(
  plain: string,
  hash: string | null,
  client = PLATFORM,
): Promise<boolean> {
  if (Buffer.byteLength(plain) > MAX_PASSWORD_BYTES) return false;
  if (hash !== null && /^\$2[aby]\$\d\d\$/.test(hash)) {
    const fits = Buffer.byteLength(plain) <= BCRYPT_BYTES;
    return (await gated(client, () => bcryptVerify(plain, hash))) && fits;
  }
  const known = hash?.startsWith('$argon2id$') ? hash : null;
  const compared = known ?? (await nobodysHash());
  const argon2 = await library();
  return (await gated(client, () => argon2.verify(compared, plain))) && known !== null;
}

/** True for a hash of another algorithm or with weaker parameters than today's. */
export async function needsRehash(hash: string): Promise<boolean> {
  return !hash.startsWith('$argon2id$') || (await library()).needsRehash(hash, PARAMETERS);
}

async function argon2Hash(plain: string | Buffer): Promise<string> {
  const argon2 = await library();
  return argon2.hash(plain, { type: argon2.argon2id, ...PARAMETERS });
}

let nobodys: Promise<string> | null = null;
function nobodysHash(): Promise<string> {
  nobodys ??= argon2Hash(randomBytes(32));
  return nobodys;
}

/** The account that a password is for; `old` is its present one, where it is known. */
type Account = { names: readonly string[]; old?: string };

/** Throws Unprocessable (422) with the reason when `next` may not become the password. */
export function demandGoodPassword(next: string, { names, old }: Account): void {
  if (next.length < MIN_NEW_PASSWORD) {
    throw new Unprocessable(`The new password needs at least ${MIN_NEW_PASSWORD} characters`);
  }
  if (Buffer.byteLength(next) > MAX_PASSWORD_BYTES) {
    throw new Unprocessable(`The new password is longer than ${MAX_PASSWORD_BYTES} bytes`);
  }
  if (next === old) throw new Unprocessable('The new password must differ from the old one');
  const why = whyGuessable(next, names);
  if (why !== null) throw new Unprocessable(`The new password ${why}`);
}

/** Expiry of a password set now (docs/specification/login.md 5); null, the default: never. */
export function passwordExpiry(app: App): Date | null {
  const days = app.config.passwordExpireDays;
  return days === 0 ? null : new Date(app.clock.now() + days * DAY_MS);
}
