import { Agent, type CoapPacket, IncomingMessage, Server } from 'coap';

import type { Clock } from '../../src/kernel/clock.ts';
import { Format } from './encoding.ts';

const REQUEST_TIMEOUT_MS = 10_000;

/** A reply that the npm agent cannot handle must not end the device (an uncaught throw in `_handle`). */
export class GuardedAgent extends Agent {
  override _handle(...message: Parameters<Agent['_handle']>): void {
    try {
      // oxlint-disable-next-line no-underscore-dangle -- named so by the package
      super._handle(...message);
    } catch {
      // dropped: the request is sent again, then times out
    }
  }
}

/** The number of the block that a request carries; null for a request that is whole. */
function blockNumber({ options = [] }: Pick<CoapPacket, 'options'>): number | null {
  const block = options.find(({ name }) => name === 'Block1')?.value;
  return Buffer.isBuffer(block) && block.length > 0
    ? block.readUIntBE(0, block.length) >> 4
    : block === undefined
      ? null
      : 0;
}

/**
 * Assembles blocks by the address of their resource: the package does so by token, which may be another for each
 * block (RFC 7959 2.5). `takes` may refuse a block before it is kept.
 */
export class BlockServer extends Server {
  takes: (path: string, block: number) => boolean = () => true;

  override _handle(...[packet, peer]: Parameters<Server['_handle']>): void {
    const block = blockNumber(packet);
    if (block !== null) {
      const request = new IncomingMessage(packet, peer);
      if (!this.takes(request.url, block)) return;
      // The package forgets an upload four minutes after its first block; a large one on a lossy way takes longer.
      // oxlint-disable-next-line no-underscore-dangle -- named so by the package
      const [key, uploads] = [this._toCacheKey(request, packet), this._block1Cache];
      const held = key === null ? undefined : uploads.get(key);
      if (key !== null && held) uploads.add(key, held);
    }
    // oxlint-disable-next-line no-underscore-dangle -- named so by the package
    super._handle(packet, peer);
  }

  override _toCacheKey(...[request, packet]: Parameters<Server['_toCacheKey']>): string | null {
    // oxlint-disable-next-line no-underscore-dangle -- named so by the package
    const key = super._toCacheKey(request, packet);
    return key === null || blockNumber(packet) === null ? key : `${request.url} in blocks`;
  }
}

/** Plain text when the option is absent, -1 for a format unknown to this device. */
export function formatOf(
  request: Pick<IncomingMessage, 'headers'>,
  name: 'Accept' | 'Content-Format',
): number {
  const named = request.headers[name];
  if (named === undefined) return Format.TEXT;
  // The package gives known formats as media types, others as numbers.
  return typeof named === 'number' ? named : (mediaTypes[String(named)] ?? -1);
}

const mediaTypes: Readonly<Record<string, number>> = {
  'text/plain': Format.TEXT,
  'application/senml+json': Format.SENML_JSON,
  'application/vnd.oma.lwm2m+tlv': Format.TLV,
};

/** Location of the registration at the server; the package gives each segment as text. */
export function locationOf(response: IncomingMessage): string {
  const { _packet: packet } = response;
  const segments = (packet.options ?? []).filter(({ name }) => name === 'Location-Path');
  return `/${segments.map(({ value }) => String(value)).join('/')}`;
}

export const tokenOf = ({ _packet: { token } }: IncomingMessage): string =>
  Buffer.from(token ?? []).toString('hex');

/** One exchange with the server: the response, or null when none came in time. */
export type Exchange = (
  method: 'POST' | 'DELETE',
  pathname: string,
  query?: readonly string[],
  payload?: string,
  contentFormat?: number,
) => Promise<IncomingMessage | null>;

export function createExchange(
  agent: Agent,
  server: { host: string; port: number },
  clock: Clock,
): Exchange {
  return (method, pathname, query = [], payload, contentFormat) => {
    const { promise, resolve } = Promise.withResolvers<IncomingMessage | null>();
    const request = agent.request({ ...server, method, pathname });
    // As bytes: an endpoint name may hold characters with a meaning in a URL.
    request.setOption(
      'Uri-Query',
      query.map((item) => Buffer.from(item)),
    );
    if (contentFormat !== undefined) request.setOption('Content-Format', contentFormat);
    request.on('response', resolve);
    request.on('error', () => resolve(null));
    const cancel = clock.after(REQUEST_TIMEOUT_MS, () => {
      // Otherwise the agent would repeat the request for minutes, on a socket that may be closed by then.
      agent.abort(request);
      resolve(null);
    });
    request.end(payload);
    return promise.finally(cancel);
  };
}
