/** The address of an endpoint below a base URL, which may have a query (`?api-version=…`). */
export function addressOf(baseUrl: string, path: string): URL {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  return url;
}

/** Base URL and query apart, for a vendor's client that appends its paths. */
export function partsOf(baseUrl: string): { base: string; search: string } {
  const url = new URL(baseUrl);
  const { search } = url;
  url.search = '';
  return { base: url.href.replace(/\/+$/, ''), search };
}
