import { isIP } from 'node:net';

import ipaddr from 'ipaddr.js';

/** RFC 4291, 2.4: all addresses routed on the internet; what embeds an IPv4 address elsewhere is outside. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether a literal address is one of the internet: neither this machine, its networks, nor a special range. */
export function isPublic(address: string): boolean {
  // ipaddr.js also reads forms the system does not; here they all are what the system answered.
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6);
}

/** A host as URLs write it, without brackets and zone. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, '').toLowerCase();

/** Whether a host is refused before anyone is asked for its address: RFC 6761, 6.3, and literal addresses. */
export function isRefusedHost(host: string): boolean {
  const bare = bareHost(host);
  if (isIP(bare) !== 0) return !isPublic(bare);
  return bare === '' || /(^|\.)localhost\.?$/.test(bare);
}

/** The port a URL leads to, as text. */
export const portOf = ({ protocol, port }: { protocol: string; port: string }): string =>
  port || (protocol === 'https:' ? '443' : '80');

/** `host:port`, or a URL the operator configured, in one spelling; throws TypeError for anything else. */
export function hostPort(text: string): string {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (!url) throw new TypeError(`${text} is not host:port`);
  return `${bareHost(url.hostname)}:${portOf(url)}`;
}
