import { domainToASCII } from 'node:url';

/** `address` is ASCII, as SMTP takes it; the name is empty without one. */
export type MailAddress = { name: string; address: string };

/** RFC 5321, 4.5.3.1. */
const MAX_LENGTH = 254;
const LOCAL = String.raw`(?!\.)(?!.*\.\.)[A-Za-z0-9_'+.-]{0,63}[A-Za-z0-9_+-]`;
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** ASCII, no quoted local part: nothing in it can end a command or a header. The last label may be of an IDN. */
const ADDRESS = new RegExp(`^${LOCAL}@(?:${LABEL}\\.)+(?:[A-Za-z]{2,63}|xn--[A-Za-z0-9-]{2,59})$`);
/** A name has no character that means something in a header or hides something; quotation marks around it are no part of it. */
const NAMED = /^("?)([^"<>,;:@\\()\p{C}\p{Zl}\p{Zp}]{0,64}?)\1 *<([^<> ]+)>$/u;
/** A host in other letters than ASCII. Only these go to `domainToASCII`, which mends what a URL may have. */
const DOMAIN = /^[\p{L}\p{N}\p{M}.-]{1,253}$/u;
/** The characters of ASCII. */
const ASCII = /^[\x20-\x7e]*$/;

/** An address, or a name with its address in angle brackets: `Plant <alarms@plant.example>`; null for anything else. */
export function mailAddress(text: string): MailAddress | null {
  const [, , name = '', inner = text] = NAMED.exec(text) ?? [];
  const at = inner.lastIndexOf('@');
  const host = inner.slice(at + 1);
  const domain = !ASCII.test(host) && DOMAIN.test(host) ? domainToASCII(host) : host;
  const address = `${inner.slice(0, at + 1)}${domain}`;
  return address.length <= MAX_LENGTH && ADDRESS.test(address)
    ? { name: name.trim(), address }
    : null;
}
