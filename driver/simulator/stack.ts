import { Agent, type IncomingMessage } from 'coap';

import { Format } from './encoding.ts';

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

/** Plain text when the option is absent, -1 for a format unknown to this device. */
export function formatOf(request: IncomingMessage, name: 'Accept' | 'Content-Format'): number {
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
