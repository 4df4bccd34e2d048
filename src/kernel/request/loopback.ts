/** Whether a host name or address, in a URL or alone, is this machine itself. */
export const isLoopbackName = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
