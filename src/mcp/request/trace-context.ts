/**
 * The trace id in a `traceparent` (W3C Trace Context), 32 hexadecimal digits; empty for what is none: upper case, ids of
 * zeros only, version ff, or more than version 00 has. Later versions may be longer.
 */
export function traceIdIn(sent: unknown): string {
  if (typeof sent !== 'string') return '';
  const [, version, traceId = '', parentId = '', more] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.{0,256})?$/.exec(sent) ?? [];
  if (version === 'ff' || (version === '00' && more !== undefined)) return '';
  return isZero(traceId) || isZero(parentId) ? '' : traceId;
}

const isZero = (id: string): boolean => /^0*$/.test(id);
