import type { LookupAddress } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';

import { AppError } from '../errors.ts';
import { bareHost, isPublic, isRefusedHost } from './address.ts';

/** 422: the target of a request is not allowed. */
export class EgressRefused extends AppError {
  override readonly name = 'EgressRefused';
  constructor(message = 'The address is not a public one') {
    super(422, 'R422', message);
  }
}

/** Resolves a host to all its addresses, as `lookup` of node:dns does. */
export type Resolve = (
  host: string,
  answered: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** Checks of a connector: before, while and after it connects. */
export type Guard = {
  /** Whether the operator opened the target, whatever its address is. */
  isOpen(host: string, port: string | number): boolean;
  /** Why the spelling of a host is refused; null when it is not. */
  refusal(host: string, port: string | number): EgressRefused | null;
  /** Resolves to checked addresses only, so that the connection goes to a checked one. */
  lookup(host: string, port: string | number): LookupFunction;
  isReached(host: string, port: string | number, socket: Socket): boolean;
  /** The error for a connection that reached another address. */
  refused(): EgressRefused;
};

/** `allow` holds `host:port` in the spelling of `hostPort`; these targets may have any address. */
export function createGuard(allow: ReadonlySet<string>, resolve: Resolve): Guard {
  const isOpen = (host: string, port: string | number): boolean =>
    allow.has(`${bareHost(host)}:${port}`);
  const refused = (): EgressRefused => new EgressRefused();
  return {
    isOpen,
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
