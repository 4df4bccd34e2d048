import { z } from 'zod';

import { BadRequest } from '../errors.ts';

const MAX_HEADER_BYTES = 8_192;
const MAX_PARTS = 10;
const CRLF = '\r\n';

/** A file under the name its sender gave, which is not to be trusted. */
export class UploadedFile {
  readonly name: string;
  readonly bytes: Buffer;

  constructor(name: string, bytes: Buffer) {
    this.name = name;
    this.bytes = bytes;
  }
}

/** A field that only a multipart body can fill, never JSON. */
export const FileField = z.instanceof(UploadedFile, { error: 'must be a file' });

type Part = { name: string; fileName: string | null; bytes: Buffer };

/**
 * The one file of a multipart/form-data body (RFC 7578), in the part named `field`; parts that are not
 * files are ignored. Strict, and linear in the body: throws BadRequest for everything else.
 */
export function readFilePart(contentType: string, body: Buffer, field: string): UploadedFile {
  const files = partsOf(body, boundaryOf(contentType)).filter(({ fileName }) => fileName !== null);
  const [file, second] = files;
  if (!file) throw new BadRequest(`The body has no file in a part named "${field}"`);
  if (second) throw new BadRequest('The body has more than one file');
  if (file.name !== field)
    throw new BadRequest(`The file must be in the part named "${field}"`, { part: field });
  return new UploadedFile(file.fileName ?? '', file.bytes);
}

/** 1 to 70 of the characters that a boundary may have (RFC 2046 5.1.1). */
function boundaryOf(contentType: string): string {
  const found = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType);
  const boundary = found?.[1] ?? found?.[2] ?? '';
  if (!/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary))
    throw new BadRequest('The content type names no usable boundary');
  return boundary;
}

function partsOf(body: Buffer, boundary: string): Part[] {
  const first = `--${boundary}`;
  const delimiter = `${CRLF}${first}`;
  if (!body.subarray(0, first.length).equals(Buffer.from(first)))
    throw new BadRequest('The body does not begin with its boundary');
  const parts: Part[] = [];
  let at = first.length;
  // After a boundary comes a line break and a part, or two dashes and the end.
  while (body.toString('latin1', at, at + 2) === CRLF) {
    if (parts.length === MAX_PARTS) throw new BadRequest('The body has too many parts');
    const head = body.subarray(at + 2, at + 2 + MAX_HEADER_BYTES).indexOf(CRLF + CRLF);
    if (head === -1) throw new BadRequest('The header of a part is broken or too long');
    const from = at + 2 + head + 4;
    const to = body.indexOf(delimiter, from);
    if (to === -1) throw new BadRequest('The body ends within a part');
    const header = body.toString('utf8', at + 2, at + 2 + head);
    parts.push({ ...dispositionOf(header), bytes: body.subarray(from, to) });
    at = to + delimiter.length;
  }
  if (body.toString('latin1', at, at + 2) !== '--')
    throw new BadRequest('The body does not end with its boundary');
  return parts;
}

function dispositionOf(header: string): Omit<Part, 'bytes'> {
  const line = header.split(CRLF).find((text) => /^content-disposition\s*:/i.test(text)) ?? '';
  if (!/^content-disposition\s*:\s*form-data\s*;/i.test(line))
    throw new BadRequest('A part is not form data');
  return { name: parameter(line, 'name') ?? '', fileName: parameter(line, 'filename') };
}

/** Quotes and line breaks in values are percent-encoded (HTML 4.10.21.8); some senders escape the quotes. */
function parameter(line: string, name: string): string | null {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i').exec(line);
  const text = found?.[1] ?? found?.[2];
  return text === undefined ? null : text.replaceAll(/%22|\\"/g, '"');
}
