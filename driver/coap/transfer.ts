import type { CoapResponse, OutgoingRequest } from './contract.ts';
import { CoapFailure } from './contract.ts';
import type { Exchanges } from './exchange.ts';
import { blockBytes, blockOf, blockOption, cut, MAX_SZX } from './message/block.ts';
import type { Message } from './message/message.ts';
import { Code, EMPTY } from './message/message.ts';
import type { Option } from './message/option.ts';
import {
  OptionNumber,
  recognise,
  textOptions,
  textsOf,
  uintOf,
  uintOption,
} from './message/option.ts';
import type { Remote } from './peer-table.ts';

const MAX_DOWNLOAD_BYTES = 1024 * 1024;
const MAX_TEXT_BYTES = 255;
const UPDATED_MIDWAY_RETRIES = 1;
/** Of one transfer: a device that lost count of its blocks answers another one (zephyr#66607). */
const WRONG_BLOCK_RETRIES = 1;
const MAX_SIZES = 50_000;

/** Whole requests: large payloads are sent and large answers fetched in blocks (RFC 7959). */
export class Transfers {
  #uploading = new Set<string>();
  /** The size exponent of peers that asked for smaller blocks (RFC 7959 2.5, 2.9.3), by their key. */
  #sizes = new Map<string, number>();
  #exchanges: Exchanges;

  constructor(exchanges: Exchanges) {
    this.#exchanges = exchanges;
  }

  /**
   * Rejects with a `CoapFailure`; an answer with an error code is not a failure. `token`: of an observation that the
   * request begins.
   */
  async request(remote: Remote, request: OutgoingRequest, token?: string): Promise<CoapResponse> {
    const options = requestOptions(request);
    const { payload = EMPTY } = request;
    const part = { options, payload, token };
    if (!this.#isSmall(remote, payload))
      return this.whole(remote, request, await this.#uploadAlone(remote, request, part));
    const first = await exchangeOnce(this.#exchanges, remote, request, part);
    const smaller = smallerThan(MAX_SZX, first);
    if (smaller === null || payload.length === 0) return this.whole(remote, request, first);
    this.#remember(remote, smaller);
    return this.whole(remote, request, await this.#uploadAlone(remote, request, part));
  }

  /** The answer to a request with all its blocks, of which `first` has come. */
  async whole(remote: Remote, request: OutgoingRequest, first: Message): Promise<CoapResponse> {
    if (!isInBlocks(first)) return responseOf(first, first.payload);
    const { method, payload = EMPTY } = request;
    const isSmall = this.#isSmall(remote, payload);
    // Without Observe, which would register again with each block (RFC 7959 2.6).
    const { observe: _observe, ...plain } = request;
    const rest = await restOf(first, (block) =>
      exchangeOnce(this.#exchanges, remote, request, {
        options: [...requestOptions(plain), block],
        // A FETCH is identified by its payload, other requests by their URI alone.
        payload: method === 'FETCH' && isSmall ? payload : EMPTY,
      }),
    );
    return responseOf(first, rest);
  }

  #isSmall({ key }: Remote, payload: Buffer): boolean {
    return payload.length <= blockBytes(this.#sizes.get(key) ?? MAX_SZX);
  }

  #remember({ key }: Remote, szx: number): void {
    const [oldest] = this.#sizes.keys();
    if (oldest !== undefined && this.#sizes.size >= MAX_SIZES) this.#sizes.delete(oldest);
    this.#sizes.set(key, szx);
  }

  // The peer assembles blocks by URI: two uploads at a time would get mixed (RFC 7959 2.5).
  async #uploadAlone(remote: Remote, request: OutgoingRequest, whole: Part): Promise<Message> {
    const { method, path, query = [] } = request;
    const resource = JSON.stringify([remote.key, method, path, query]);
    if (this.#uploading.has(resource))
      throw new CoapFailure('queue-full', 'another upload to the same resource is under way');
    this.#uploading.add(resource);
    try {
      const szx = this.#sizes.get(remote.key) ?? MAX_SZX;
      const step = { szx, smaller: (wanted: number) => this.#remember(remote, wanted) };
      return await upload(this.#exchanges, remote, request, whole, step);
    } finally {
      this.#uploading.delete(resource);
    }
  }
}

/** Whether there may be more of a response than its payload. */
export const isInBlocks = ({ options }: Message): boolean =>
  options.some(({ number }) => number === OptionNumber.BLOCK2);

export function responseOf({ code, options }: Message, payload: Buffer): CoapResponse {
  const locationPath = textsOf(options, OptionNumber.LOCATION_PATH);
  return {
    code,
    contentFormat: uintOf(options, OptionNumber.CONTENT_FORMAT),
    observe: uintOf(options, OptionNumber.OBSERVE),
    ...(locationPath.length > 0 && { locationPath }),
    payload,
  };
}

function requestOptions(request: OutgoingRequest): Option[] {
  const { path, query = [], observe, contentFormat, accept } = request;
  if (path.some(isTooLong) || query.some(isTooLong))
    throw new CoapFailure('bad-request', 'path or query longer than 255 bytes');
  const options: Option[] = [];
  if (observe !== undefined) options.push(uintOption(OptionNumber.OBSERVE, observe));
  options.push(...textOptions(OptionNumber.URI_PATH, path));
  if (contentFormat !== undefined)
    options.push(uintOption(OptionNumber.CONTENT_FORMAT, contentFormat));
  options.push(...textOptions(OptionNumber.URI_QUERY, query));
  if (accept !== undefined) options.push(uintOption(OptionNumber.ACCEPT, accept));
  return options;
}

function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > MAX_TEXT_BYTES;
}

/** The size exponent that a peer asks for in place of `szx`, when it refuses a request as too large; else null. */
function smallerThan(szx: number, { code, options }: Message): number | null {
  if (code !== Code.REQUEST_ENTITY_TOO_LARGE) return null;
  const wanted = blockOf(options, OptionNumber.BLOCK1);
  return wanted && wanted !== 'invalid' && wanted.szx < szx ? wanted.szx : null;
}

/** A request or a block of it; `token` of the observation that it begins. */
type Part = { options: readonly Option[]; payload: Buffer; token?: string | undefined };

async function exchangeOnce(
  exchanges: Exchanges,
  remote: Remote,
  request: OutgoingRequest,
  { token, ...part }: Part,
): Promise<Message> {
  const draft = { code: Code[request.method], ...part };
  const response = await exchanges.request(remote, draft, request, token);
  const options = recognise(response.options, 'response');
  if (typeof options === 'number')
    throw new CoapFailure('bad-response', `unknown critical option ${options}`);
  return { ...response, options };
}

/** Sends the payload block by block, in the size that the peer asks for (RFC 7959 2.3, 2.5, 2.9.3). */
async function upload(
  exchanges: Exchanges,
  remote: Remote,
  request: OutgoingRequest,
  whole: Part,
  { szx: first, smaller: ask }: { szx: number; smaller: (szx: number) => void },
): Promise<Message> {
  const size1 = uintOption(OptionNumber.SIZE1, whole.payload.length);
  let szx = first;
  let offset = 0;
  for (;;) {
    const piece = cut(whole.payload, offset, szx);
    if (!piece) throw new CoapFailure('too-large', 'more blocks than a block number can count');
    const options = [...whole.options, blockOption(OptionNumber.BLOCK1, piece.block)];
    if (offset === 0) options.push(size1);
    if (request.upload?.isWanted() === false)
      throw new CoapFailure('closed', 'not wanted any more');
    const part = { options, payload: piece.part, token: whole.token };
    const response = await sendBlock(exchanges, remote, request, part);
    const answer = blockOf(response.options, OptionNumber.BLOCK1);
    if (answer === 'invalid') throw new CoapFailure('bad-response', 'invalid Block1');
    const smaller = answer !== null && answer.szx < szx;
    if (smaller) ask(answer.szx);
    if (response.code === Code.REQUEST_ENTITY_TOO_LARGE && offset === 0 && smaller) {
      szx = answer.szx;
      continue;
    }
    // An error ends the upload even before the last block.
    if (!piece.block.more || response.code >> 5 !== 2) return response;
    if (!answer)
      throw new CoapFailure('bad-response', 'a success without Block1 before the last block');
    if (answer.number !== piece.block.number)
      throw new CoapFailure('bad-response', 'acknowledges another block');
    offset += piece.part.length;
    request.upload?.sent(offset);
    if (smaller) szx = answer.szx;
  }
}

/** The same block twice is the same to its receiver (RFC 7959 2.5): it may be sent anew where no answer came. */
async function sendBlock(
  exchanges: Exchanges,
  remote: Remote,
  request: OutgoingRequest,
  part: Part,
): Promise<Message> {
  for (let left = request.upload?.again ?? 0; ; left -= 1) {
    try {
      return await exchangeOnce(exchanges, remote, request, part);
    } catch (error) {
      const isSilent = error instanceof CoapFailure && error.reason.startsWith('timeout');
      if (!isSilent || left <= 0 || request.upload?.isWanted() === false) throw error;
    }
  }
}

/** The payload of a response, with its later blocks fetched (RFC 7959 2.4). */
async function restOf(
  first: Message,
  fetchBlock: (block: Option) => Promise<Message>,
): Promise<Buffer> {
  let retries = UPDATED_MIDWAY_RETRIES;
  let wrong = WRONG_BLOCK_RETRIES;
  let response = first;
  let etag = etagOf(first);
  let parts: Buffer[] = [];
  let offset = 0;
  for (;;) {
    if (response.code !== first.code)
      throw new CoapFailure('bad-response', `a later block was answered ${response.code}`);
    const block = blockOf(response.options, OptionNumber.BLOCK2);
    if (!block && offset === 0) return response.payload;
    if (!block || block === 'invalid') throw new CoapFailure('bad-response', 'invalid Block2');
    const size = blockBytes(block.szx);
    const { length } = response.payload;
    const isAnother = block.number * size !== offset;
    if (isAnother && offset > 0 && offset % size === 0 && wrong-- > 0) {
      response = await fetchBlock(nextBlock(offset, block.szx));
      continue;
    }
    if (isAnother || (block.more ? length !== size : length > size))
      throw new CoapFailure('bad-response', 'another block than asked for');
    parts.push(response.payload);
    offset += length;
    if (offset > MAX_DOWNLOAD_BYTES) throw new CoapFailure('too-large');
    if (!block.more) return parts.length === 1 ? response.payload : Buffer.concat(parts);
    response = await fetchBlock(nextBlock(offset, block.szx));
    if (etagOf(response) === etag) continue;
    // The resource changed between two blocks: the earlier blocks are void (RFC 7959 2.4).
    if (retries-- === 0) throw new CoapFailure('bad-response', 'changed during the transfer');
    response = await fetchBlock(nextBlock(0, block.szx));
    etag = etagOf(response);
    parts = [];
    offset = 0;
  }
}

function nextBlock(offset: number, szx: number): Option {
  return blockOption(OptionNumber.BLOCK2, { number: offset / blockBytes(szx), more: false, szx });
}

function etagOf(message: Message): string {
  const option = message.options.find(({ number }) => number === OptionNumber.ETAG);
  return option ? option.value.toString('hex') : '';
}
