import type { CoapResponse } from '../../coap/contract.ts';
import { CodecError, ContentFormat, utf8 } from '../codec/codec.ts';
import { parseLinks } from '../codec/link-format.ts';

/**
 * The links in the answer to Discover (OMA Core 1.1, 6.3.2) by their paths below the root, with their attributes as
 * text, such as `pmin=10;pmax=60`. Throws `CodecError`.
 */
export function linksIn(
  { contentFormat, payload }: CoapResponse,
  root: readonly string[],
): [path: string, attributes: string][] {
  if (contentFormat !== ContentFormat.LINK)
    throw new CodecError(`the device answered in Content-Format ${contentFormat ?? 'text'}`);
  const text = utf8(payload);
  const links = text === null ? null : parseLinks(text);
  if (!links) throw new CodecError('the answer is no link format');
  const above = root.length > 0 ? `/${root.join('/')}` : '';
  return links.map(({ target, attributes }) => {
    const content = Object.entries(attributes).map(([name, value]) => `${name}=${value}`);
    const isBelow = above !== '' && target.startsWith(`${above}/`);
    return [isBelow ? target.slice(above.length) : target, content.join(';')];
  });
}
