/** The resources in OMA TLV by id (OMA Core 1.1, 7.4.4), single ones alone; null for bytes that are none. */
export function entriesOf(payload: Buffer): ReadonlyMap<number, Buffer> | null {
  const entries = new Map<number, Buffer>();
  for (let at = 0; at < payload.length;) {
    const head = payload.readUInt8(at);
    const idBytes = head & 0x20 ? 2 : 1;
    const lengthBytes = (head >> 3) & 3;
    const start = at + 1 + idBytes + lengthBytes;
    if (head >> 6 !== 3 || start > payload.length) return null;
    const length = lengthBytes === 0 ? head & 7 : payload.readUIntBE(at + 1 + idBytes, lengthBytes);
    if (start + length > payload.length) return null;
    entries.set(payload.readUIntBE(at + 1, idBytes), payload.subarray(start, start + length));
    at = start + length;
  }
  return entries;
}
