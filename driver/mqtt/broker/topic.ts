import { misconfigured } from '../../sdk/failure.ts';

const MAX_BYTES = 65_535;

/** Fills `${device}` and `${point}`. Throws `DriverFailure`: a name with `/`, `+` or `#` would be another topic. */
export function filled(template: string, names: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\$\{(\w+)\}/g, (_, code: string) => {
    const name = names[code];
    if (name === undefined) throw misconfigured(`\${${code}} stands for nothing in a topic`);
    if (/[+#\0]/.test(name) || name === '') throw misconfigured(`"${name}" is no part of a topic`);
    return name;
  });
}

const isSized = (topic: string): boolean =>
  topic !== '' && !topic.includes('\0') && Buffer.byteLength(topic) <= MAX_BYTES;

/** A topic that can be published to; throws `DriverFailure`. */
export function topicOf(code: string, text: string): string {
  if (isSized(text) && !/[+#]/.test(text)) return text;
  throw misconfigured(`${code}: "${text}" is no topic`);
}

/** A topic filter (MQTT 5, 4.7.1) that names no shared subscription; throws `DriverFailure`. */
export function filterOf(code: string, text: string): string {
  const levels = text.split('/');
  const isValid = levels.every((level, i) =>
    level.includes('#') ? level === '#' && i === levels.length - 1 : !/.\+|\+./.test(level),
  );
  if (isSized(text) && isValid && levels[0] !== '$share') return text;
  throw misconfigured(`${code}: "${text}" is no topic`);
}

const isPattern = (filter: string): boolean => /[+#]/.test(filter);

/** Whether a topic is one of a filter (MQTT 5, 4.7.2: wildcards do not match a first level with `$`). */
export function matches(filter: string, topic: string): boolean {
  const wanted = filter.split('/');
  const levels = topic.split('/');
  if (topic.startsWith('$') && /^[+#]/.test(filter)) return false;
  for (const [i, level] of wanted.entries()) {
    if (level === '#') return true;
    if (levels[i] === undefined || (level !== '+' && level !== levels[i])) return false;
  }
  return wanted.length === levels.length;
}

/** What is to be done with the messages of a topic, by filter. */
export class Router<T> {
  readonly #exact = new Map<string, Set<T>>();
  readonly #patterns = new Map<string, Set<T>>();

  /** Answers whether the filter is new. */
  add(filter: string, target: T): boolean {
    const map = isPattern(filter) ? this.#patterns : this.#exact;
    const targets = map.get(filter);
    targets?.add(target);
    if (!targets) map.set(filter, new Set([target]));
    return !targets;
  }

  /** Answers whether the filter has no target any more. */
  remove(filter: string, target: T): boolean {
    const map = isPattern(filter) ? this.#patterns : this.#exact;
    const targets = map.get(filter);
    targets?.delete(target);
    if (targets?.size !== 0) return false;
    map.delete(filter);
    return true;
  }

  of(topic: string): T[] {
    const found = new Set(this.#exact.get(topic));
    for (const [filter, targets] of this.#patterns)
      if (matches(filter, topic)) for (const target of targets) found.add(target);
    return [...found];
  }
}
