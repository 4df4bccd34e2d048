/** Start-up parameters that are not settings of the session (PostgreSQL manual, 54.7 StartupMessage). */
const NOT_SETTINGS = /^(user|database|replication|options|client_encoding|_pq_\..*)$/;
const HEAD_BYTES = 8;

const quote = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** `-c name=value`, `-cname=value` and `--name=value`; a backslash escapes a space in the value. */
function* optionsIn(options: string): Generator<[name: string, value: string]> {
  for (const [, dashed, name = '', value = ''] of options.matchAll(
    /(?:^|\s)(?:-c\s*|(--))([\w.-]+)=((?:\\.|[^\s\\])*)/g,
  )) {
    yield [dashed ? name.replaceAll('-', '_') : name, value.replaceAll(/\\(.)/g, '$1')];
  }
}

/**
 * The query that applies the settings of a start-up packet; undefined without settings. The role comes
 * last: it may not be allowed to set the others.
 */
export function settingsQuery(packet: Buffer): string | undefined {
  const fields = packet.toString('utf8', HEAD_BYTES).split('\0');
  const settings = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length && fields[at] !== ''; at += 2) {
    const name = fields[at] ?? '';
    const value = fields[at + 1] ?? '';
    if (name === 'options') for (const [key, what] of optionsIn(value)) settings.set(key, what);
    else if (!NOT_SETTINGS.test(name)) settings.set(name, value);
  }
  const role = settings.get('role');
  settings.delete('role');
  const ordered = [...settings, ...(role === undefined ? [] : [['role', role] as const])];
  if (ordered.length === 0) return undefined;
  return ordered
    .map(([name, value]) => `select set_config(${quote(name)}, ${quote(value)}, false)`)
    .join(';');
}
