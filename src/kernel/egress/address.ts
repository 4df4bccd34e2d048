import { isIP } from 'node:net';

import ipaddr from 'ipaddr.js';

/** RFC 4291, 2.4: all globally routed addresses; ranges that embed IPv4 addresses are outside. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether a literal address is a public one: not local, not private, not in a special range. */
export function isPublic(address: string): boolean {
  // ipaddr.js also reads forms that the system's resolver never returns.
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6);
}

/** A URL's host without brackets, in lower case. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, '').toLowerCase();

/** Whether a host is refused before any lookup: RFC 6761, 6.3, and literal addresses. */
export function isRefusedHost(host: string): boolean {
  const bare = bareHost(host);
  if (isIP(bare) !== 0) return !isPublic(bare);
  return bare === '' || /(^|\.)localhost\.?$/.test(bare);
}

/** The port of a URL, as text. */
export const portOf = ({ protocol, port }: { protocol: string; port: string }): string =>
  port || (protocol === 'https:' ? '443' : '80');

/** One spelling for `host:port` or a URL the operator configured; throws TypeError for other text. */
export function hostPort(text: string): string {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (!url) throw new TypeError(`${text} is not host:port`);
  return `${bareHost(url.hostname)}:${portOf(url)}`;
}
