import { isIP } from 'node:net';
import { hostname } from 'node:os';

import { z } from 'zod';

/** A comma list of host names without ports. */
export const HostNames = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim().toLowerCase()))
  .pipe(
    z
      .array(
        z
          .string()
          .regex(/^[a-z\d](?:[a-z\d._-]{0,251}[a-z\d])?$/, 'must be a host name without port'),
      )
      .max(64),
  );

type Names = { baseUrl: string; host: string; hostNames: readonly string[] };

/** Ends of names that stay within a machine or a network (RFC 6761, RFC 6762; ICANN for `internal`). */
const INNER = /\.(?:localhost|local|internal)$/;

/**
 * Whether a request with this Host header may be for the platform. A page of another site reaches it by a public name
 * that leads here for a moment (DNS rebinding), so public names are served when a setting has them. Addresses and names
 * without a dot are no public names. Programs may leave the header out; browsers never do.
 */
export function isServedHost({ baseUrl, host, hostNames }: Names, header = ''): boolean {
  if (header === '') return true;
  const asked = nameIn(header);
  if (asked === null) return false;
  if (isIP(asked.replace(/^\[(.*)\]$/, '$1')) !== 0 || !asked.includes('.')) return true;
  return (
    INNER.test(asked) ||
    [nameIn(new URL(baseUrl).host), nameIn(host), nameIn(hostname())].includes(asked) ||
    hostNames.includes(asked)
  );
}

/** As browsers read it, without its port; null for what is no host. */
function nameIn(host: string): string | null {
  const url = URL.parse(`http://${host}`);
  return url === null || url.hostname === '' ? null : url.hostname.replace(/\.$/, '');
}
