import { hash } from 'node:crypto';

import type { CoapReply } from './contract.ts';
import type { Draft } from './exchange.ts';
import type { Block } from './message/block.ts';
import {
  blockBytes,
  blockOption,
  cut,
  MAX_BLOCK_BYTES,
  MAX_SZX,
  szxWithin,
} from './message/block.ts';
import { Code, EMPTY } from './message/message.ts';
import type { Option } from './message/option.ts';
import { OptionNumber, textOptions, uintOf, uintOption } from './message/option.ts';

const HEADER_BYTES = 4;
const REPLY_OPTIONS_BYTES = 16; // Content-Format, ETag, Block2, payload marker
const AMPLIFICATION = 3;
const ETAG_BYTES = 4;

/** Properties of the request that shape its reply. */
export type Asked = {
  options: readonly Option[];
  block1: Block | null;
  block2: Block | null;
  /** Largest payload with which the reply is at most three times the request. */
  roomBytes: number;
  maxBodyBytes: number;
};

/**
 * Payload that fits one datagram: an unverified address gets at most three times the bytes that it sent, or
 * one block of 16 bytes (RFC 7252 11.3).
 */
export function roomFor(datagramBytes: number, tokenBytes: number, verified: boolean): number {
  if (verified) return MAX_BLOCK_BYTES;
  const room = AMPLIFICATION * datagramBytes - HEADER_BYTES - tokenBytes - REPLY_OPTIONS_BYTES;
  return Math.min(MAX_BLOCK_BYTES, Math.max(blockBytes(0), room));
}

/** The reply as a message, cut to the requested block; `more` if there are later ones (RFC 7959 2.4). */
export function shapeReply(reply: CoapReply, asked: Asked): { draft: Draft; more: boolean } {
  const { block1, block2 } = asked;
  const payload = reply.payload ?? EMPTY;
  const options: Option[] = [];
  if (reply.locationPath)
    options.push(...textOptions(OptionNumber.LOCATION_PATH, reply.locationPath));
  if (reply.contentFormat !== undefined)
    options.push(uintOption(OptionNumber.CONTENT_FORMAT, reply.contentFormat));
  if (block1) {
    const more = block1.more && reply.code === Code.CONTINUE;
    options.push(blockOption(OptionNumber.BLOCK1, { ...block1, more }));
  }
  if (reply.code === Code.REQUEST_ENTITY_TOO_LARGE)
    options.push(uintOption(OptionNumber.SIZE1, asked.maxBodyBytes));
  const whole = { draft: { code: reply.code, options, payload }, more: false };
  const szx = Math.min(block2?.szx ?? MAX_SZX, szxWithin(asked.roomBytes));
  const offset = block2 ? block2.number * blockBytes(block2.szx) : 0;
  const fits = payload.length <= (block2 ? blockBytes(szx) : asked.roomBytes);
  const isError = reply.code >> 5 !== 2;
  if (offset === 0 ? fits : isError) return whole;
  const piece = cut(payload, offset, szx);
  if (!piece)
    return { draft: { code: Code.BAD_REQUEST, options: [], payload: EMPTY }, more: false };
  options.push(etagOf(payload), blockOption(OptionNumber.BLOCK2, piece.block));
  if (uintOf(asked.options, OptionNumber.SIZE2) !== null)
    options.push(uintOption(OptionNumber.SIZE2, payload.length));
  return { draft: { code: reply.code, options, payload: piece.part }, more: piece.block.more };
}

// Equal over the blocks of one reply, so that the peer detects a change between them (RFC 7959 2.4).
function etagOf(payload: Buffer): Option {
  const digest = hash('sha1', payload, 'buffer');
  return { number: OptionNumber.ETAG, value: digest.subarray(0, ETAG_BYTES) };
}
