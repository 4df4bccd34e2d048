import { misconfigured } from '../../sdk/failure.ts';

/**
 * The address in a setting, with `${device}` and `${point}` filled in; that of a point may be relative to that of its
 * device, and is at the same host, which gets the header. Throws `DriverFailure` POINT_CONFIG.
 */
export function urlOf(
  code: string,
  text: string,
  names: Readonly<Record<string, string>>,
  base: URL | null = null,
): URL {
  const filled = text.trim().replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = names[name];
    if (value === undefined) throw misconfigured(`${code}: \${${name}} stands for nothing`);
    // `..` would be another place.
    if (/^\.{0,2}$/.test(value))
      throw misconfigured(`${code}: "${value}" is no part of an address`);
    return encodeURIComponent(value);
  });
  const url = URL.parse(filled, base?.href);
  if (!url || !['https:', 'http:'].includes(url.protocol))
    throw misconfigured(`${code}: must be https://HOST/…`);
  if (url.username !== '' || url.password !== '')
    throw misconfigured(`${code}: must hold no login; header is for that`);
  if (base && url.origin !== base.origin)
    throw misconfigured(`${code}: must be at the host of the url of the device`);
  url.hash = '';
  return url;
}
