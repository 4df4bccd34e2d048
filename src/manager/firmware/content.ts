import { sql } from 'kysely';

import { MAX_PORTION_BYTES } from '../../bus/topic/firmware-topics.ts';
import type { Queries } from '../../db/connect.ts';

/** A package is kept in pieces of one portion, so that a driver's request reads one row. */
const CHUNK_BYTES = MAX_PORTION_BYTES;

type Key = { tenantId: string; packageId: string };

/** Keeps the bytes of a package, piece by piece. */
export async function keepContent(q: Queries, key: Key, bytes: Buffer): Promise<void> {
  for (let at = 0, chunk = 0; at < bytes.length; at += CHUNK_BYTES, chunk += 1)
    await q
      .insertInto('svc_firmware_chunk')
      .values({ ...key, chunk, content: bytes.subarray(at, at + CHUNK_BYTES) })
      .execute();
}

/** The piece that begins at `offset`, which is a multiple of the portion; null for none. */
export async function contentAt(
  q: Queries,
  { tenantId, packageId }: Key,
  offset: number,
): Promise<Buffer | null> {
  const { rows } = await sql<{ content: Uint8Array }>`
    select content from svc_firmware_chunk
    where tenant_id = ${tenantId} and package_id = ${packageId}
      and chunk = ${offset / CHUNK_BYTES}`.execute(q);
  return rows[0] ? Buffer.from(rows[0].content) : null;
}

export async function dropContent(q: Queries, { tenantId, packageId }: Key): Promise<void> {
  await q
    .deleteFrom('svc_firmware_chunk')
    .where('tenantId', '=', tenantId)
    .where('packageId', '=', packageId)
    .execute();
}
