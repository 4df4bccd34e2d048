/** An id for a conversation that begins here; without the browser's own, which it gives to secure pages alone. */
export function freshId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
