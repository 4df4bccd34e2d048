import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

import { type Payload, topics } from '../../../src/bus/topic/topics.ts';

export type Batch = Payload<'svc.e.value'>;

/** Length of the compressed message, then its CRC-32, both with the most significant byte first. */
const HEAD_BYTES = 8;

/** A batch as it is in a file: head, then JSON compressed by zstd. */
export function encode(batch: Batch): Buffer {
  const body = zstdCompressSync(JSON.stringify(batch));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(body.length);
  head.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([head, body]);
}

/** The batches of a file, up to a record that was written in part or is damaged: `isTorn` says whether there is one. */
export function decode(file: Buffer): { batches: Batch[]; isTorn: boolean } {
  const batches: Batch[] = [];
  let at = 0;
  while (at < file.length) {
    const batch = recordAt(file, at);
    if (!batch) break;
    batches.push(batch);
    at += HEAD_BYTES + file.readUInt32BE(at);
  }
  return { batches, isTorn: at < file.length };
}

function recordAt(file: Buffer, at: number): Batch | null {
  const start = at + HEAD_BYTES;
  if (start > file.length) return null;
  const body = file.subarray(start, start + file.readUInt32BE(at));
  if (body.length < file.readUInt32BE(at) || crc32(body) !== file.readUInt32BE(at + 4)) return null;
  try {
    const message: unknown = JSON.parse(zstdDecompressSync(body).toString());
    return topics['svc.e.value'].payload.safeParse(message).data ?? null;
  } catch {
    return null;
  }
}
