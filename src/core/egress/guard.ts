import type { LookupAddress } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';

import { AppError } from '../errors.ts';
import { bareHost, isPublic, isRefusedHost } from './address.ts';

/** 422: a request would go where the platform does not go. */
export class EgressRefused extends AppError {
  override readonly name = 'EgressRefused';
  constructor(message = 'The address is not a public one') {
    super(422, 'R422', message);
  }
}

/** Answers with every address of a host, as `lookup` of node:dns does. */
export type Resolve = (
  host: string,
  answered: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** What a connector asks: before, while and after it connects. */
export type Guard = {
  /** Why a host is refused by its spelling alone; null when it is not. */
  refusal(host: string, port: string | number): EgressRefused | null;
  /** Answers with checked addresses only, so that the connection is made to what was checked. */
  lookup(host: string, port: string | number): LookupFunction;
  isReached(host: string, port: string | number, socket: Socket): boolean;
  /** The error for a connection that came out elsewhere. */
  refused(): EgressRefused;
};

/** `allow` holds `host:port` in the spelling of `hostPort`; what it opens is not asked for its address. */
export function createGuard(allow: ReadonlySet<string>, resolve: Resolve): Guard {
  const isOpen = (host: string, port: string | number): boolean =>
    allow.has(`${bareHost(host)}:${port}`);
  const refused = (): EgressRefused => new EgressRefused();
  return {
    refused,
    refusal: (host, port) => (!isOpen(host, port) && isRefusedHost(host) ? refused() : null),
    lookup: (host, port) => (name, options, callback) => {
      resolve(name, (error, addresses) => {
        const [first] = addresses ?? [];
        if (error) callback(error, '');
        else if (!first) callback(new EgressRefused('The address does not resolve'), '');
        else if (!isOpen(host, port) && !addresses.every(({ address }) => isPublic(address)))
          callback(refused(), '');
        else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      });
    },
    isReached: (host, port, { remoteAddress }) =>
      isOpen(host, port) || (remoteAddress !== undefined && isPublic(remoteAddress)),
  };
}
