/** Whether a host name or address, in a URL or alone, is this machine itself. */
export const isLoopbackName = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** Whether a link with this address leads readers on other machines to this one, and not to their own. */
export function isLinkable(address: string): boolean {
  const { hostname } = new URL(address);
  return !isLoopbackName(hostname) && hostname !== '0.0.0.0' && hostname !== '[::]';
}
