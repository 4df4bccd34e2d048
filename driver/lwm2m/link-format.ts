/** One link of a registration (RFC 6690): its target and its attributes, quotes removed. */
export type Link = { target: string; attributes: Record<string, string> };

const MAX_CHARACTERS = 65_536;
const MAX_LINKS = 2_000;
const LINK = /<([^<>]*)>((?:;[^=;,"<>]+(?:=(?:"[^"]*"|[^;,"<>]*))?)*)/y;
const ATTRIBUTE = /;([^=;,"<>]+)(?:=(?:"([^"]*)"|([^;,"<>]*)))?/g;

/** The links of a CoRE link-format text, each target once; null when it is none or too large. */
export function parseLinks(text: string): Link[] | null {
  if (text.length > MAX_CHARACTERS) return null;
  const links = new Map<string, Link>();
  let at = 0;
  while (at < text.length) {
    LINK.lastIndex = at;
    const match = LINK.exec(text);
    if (!match || links.size >= MAX_LINKS) return null;
    const [whole, target = '', rest = ''] = match;
    at += whole.length;
    if (at < text.length && text[at++] !== ',') return null;
    while (text[at] === ' ') at += 1;
    // Some devices list the same link twice.
    if (!links.has(target)) links.set(target, { target, attributes: attributesOf(rest) });
  }
  return [...links.values()];
}

function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = Object.create(null);
  for (const [, name = '', quoted, plain] of text.matchAll(ATTRIBUTE))
    attributes[name.trim()] = (quoted ?? plain ?? '').trim();
  return attributes;
}
