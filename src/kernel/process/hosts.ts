const MAX_HOSTS = 16;
/** Scheme with user and password, hosts, and all from the path on. */
const ADDRESS = /^([a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?)([^/?#@]+)([/?#].*)?$/i;

/**
 * The addresses of `scheme://user:password@one:1,other:2/path`, one for each host in their order. Null where the text is
 * none, a host is empty or named twice, or there are more than 16.
 */
export function addressesOf(text: string): string[] | null {
  if (!text.includes(',')) return URL.canParse(text) ? [text] : null;
  const [, before, hosts, after = ''] = ADDRESS.exec(text) ?? [];
  const all = hosts?.split(',') ?? [];
  const addresses = all.map((host) => `${before}${host}${after}`);
  const isWrong =
    all.length > MAX_HOSTS ||
    new Set(all).size < all.length ||
    addresses.some((address) => !URL.parse(address)?.hostname) ||
    all.some((host) => host.endsWith(':'));
  return all.length === 0 || isWrong ? null : addresses;
}

/** `host:port` of each of the addresses, for people. */
export const hostsOf = (addresses: readonly string[]): string =>
  addresses.map((address) => new URL(address).host).join(', ');
