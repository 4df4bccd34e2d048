import type { Option } from './option.ts';
import { uintOption } from './option.ts';

export type Block = {
  /** Position in units of the block size. */
  number: number;
  more: boolean;
  /** Size exponent 0 to 6: blocks of 16 to 1,024 bytes. */
  szx: number;
};

export const MAX_SZX = 6;
export const MAX_BLOCK_BYTES = 1024;

const MAX_BLOCK_NUMBER = 0xfffff;

/** The block of the first option with that number; absent is null, SZX 7 'invalid' (RFC 7959 2.2). */
export function blockOf(options: readonly Option[], number: number): Block | null | 'invalid' {
  const option = options.find((candidate) => candidate.number === number);
  if (!option) return null;
  const { value } = option;
  if (value.length > 3) return 'invalid';
  const packed = value.length === 0 ? 0 : value.readUIntBE(0, value.length);
  const szx = packed & 7;
  if (szx > MAX_SZX) return 'invalid';
  return { number: packed >> 4, more: (packed & 8) !== 0, szx };
}

/** The option for a block; an empty value means block 0, no more, 16 bytes (RFC 7959 2.2). */
export function blockOption(number: number, block: Block): Option {
  return uintOption(number, (block.number << 4) | (block.more ? 8 : 0) | block.szx);
}

export function blockBytes(szx: number): number {
  return 16 << szx;
}

/** The largest size exponent with blocks that fit into `bytes`, at least 0. */
export function szxWithin(bytes: number): number {
  let szx = 0;
  while (szx < MAX_SZX && blockBytes(szx + 1) <= bytes) szx++;
  return szx;
}

/** The block of `payload` at `offset`; null beyond the end or the 20 bits of a block number. */
export function cut(
  payload: Buffer,
  offset: number,
  szx: number,
): { block: Block; part: Buffer } | null {
  const size = blockBytes(szx);
  const number = offset / size;
  if (!Number.isInteger(number) || number > MAX_BLOCK_NUMBER) return null;
  if (offset > 0 && offset >= payload.length) return null;
  const end = offset + size;
  return {
    block: { number, more: end < payload.length, szx },
    part: payload.subarray(offset, end),
  };
}
