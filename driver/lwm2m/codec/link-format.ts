/** One link of a registration (RFC 6690): its target and its attributes, quotes removed. */
export type Link = { target: string; attributes: Record<string, string> };

const MAX_CHARACTERS = 65_536;
const MAX_LINKS = 2_000;
const BLANKS = ' \t\r\n';

/**
 * The links of a CoRE link-format text, each target once; null for invalid or too large text. Blanks and
 * line ends around separators are accepted, because devices send them.
 */
export function parseLinks(text: string): Link[] | null {
  if (text.length > MAX_CHARACTERS) return null;
  const links = new Map<string, Link>();
  const reader = createReader(text);
  for (reader.skip(); !reader.isAtEnd(); reader.skip()) {
    const link = readLink(reader);
    if (!link || links.size >= MAX_LINKS) return null;
    // Some devices list the same link twice.
    if (!links.has(link.target)) links.set(link.target, link);
    if (!reader.isAtEnd() && !reader.take(',')) return null;
  }
  return [...links.values()];
}

type Reader = ReturnType<typeof createReader>;

/** Reads each character once, whatever the text. */
function createReader(text: string) {
  let at = 0;
  return {
    isAtEnd: () => at >= text.length,
    skip(): void {
      while (at < text.length && BLANKS.includes(text.charAt(at))) at += 1;
    },
    take(character: string): boolean {
      if (text[at] !== character) return false;
      at += 1;
      return true;
    },
    until(stops: string): string {
      const from = at;
      while (at < text.length && !stops.includes(text.charAt(at))) at += 1;
      return text.slice(from, at);
    },
    /** Whether what comes next is this, or a quote or a bracket. */
    isAfter: (character: string) => `${character}"<>`.includes(text[at] ?? ' '),
    /** The rest of a quoted text after its first quote; null without a closing one. */
    quoted(): string | null {
      let value = '';
      for (; at < text.length; at += 1) {
        if (text[at] === '"') {
          at += 1;
          return value;
        }
        // A quoted pair encodes its second character (RFC 2616 2.2).
        if (text[at] === '\\') at += 1;
        value += text.charAt(at);
      }
      return null;
    },
  };
}

function readLink(reader: Reader): Link | null {
  if (!reader.take('<')) return null;
  const target = reader.until('<>');
  if (!reader.take('>')) return null;
  const attributes: Record<string, string> = Object.create(null);
  for (reader.skip(); reader.take(';'); reader.skip()) {
    const name = reader.until('=;,"<>').trim();
    // Some devices end a link with a semicolon, or write two of them.
    if (name === '' && reader.isAfter('=')) return null;
    if (name === '') continue;
    const value = reader.take('=') ? readValue(reader) : '';
    if (value === null) return null;
    attributes[name] = value.trim();
  }
  return { target, attributes };
}

function readValue(reader: Reader): string | null {
  reader.skip();
  return reader.take('"') ? reader.quoted() : reader.until(';,"<>');
}
