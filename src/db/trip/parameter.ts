/** A parameter in text form, or bytes. */
export type Parameter = string | Buffer | null;

/**
 * A parameter as the server reads it in text form; a Buffer goes as bytes. The same forms as the driver's own,
 * but for times, which are ISO 8601 in UTC whatever the machine's zone.
 */
export function parameterOf(value: unknown): Parameter {
  if (value === null || value === undefined) return null;
  if (Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return `{${value.map(elementOf).join()}}`;
  if (value instanceof Date) return timeOf(value);
  if (typeof value === 'string') return value;
  if (typeof value === 'object') return JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  throw new TypeError(`a parameter must not be a ${typeof value}`);
}

/** Years beyond four digits have a sign in ISO 8601 that PostgreSQL takes for a time zone; it counts BC from 1. */
function timeOf(time: Date): string {
  const text = time.toISOString().replace(/^\+/, '');
  if (!text.startsWith('-')) return text;
  const year = 1 - time.getUTCFullYear();
  return `${String(year).padStart(4, '0')}${text.slice(7)} BC`;
}

function elementOf(value: unknown): string {
  // The common ones first: a batch of values has a hundred thousand of them.
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `{${value.map(elementOf).join()}}`;
  const element = parameterOf(value);
  if (element === null) return 'NULL';
  return quoted(typeof element === 'string' ? element : `\\x${element.toString('hex')}`);
}

const quoted = (text: string): string =>
  text.includes('"') || text.includes('\\')
    ? `"${text.replaceAll(/["\\]/g, '\\$&')}"`
    : `"${text}"`;
