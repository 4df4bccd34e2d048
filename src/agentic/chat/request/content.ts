import { z } from 'zod';

import { imageType, MAX_MEDIA_BYTES, type Media } from '../../../../providers/request/media.ts';
import { Text } from '../../../kernel/input/text.ts';
import { contentTypeOf, formatOf, isText, TAKEN_AS_TEXT } from '../../document/file-kind.ts';
import { decoded } from '../../document/text-encoding.ts';
import { visibleName } from '../../document/visible-text.ts';

/** As all messages together. */
const MAX_TEXT = 1_000_000;
const MAX_PARTS = 1_000;
const MAX_NAME = 1_024;

const DATA_URI = /^data:[^,]{0,200};base64,/i;
const ONLY_DATA = 'must be a data URI with base64 (data:image/png;base64,…): no address is fetched';

/** A file of a question: the model gets the text that was read of it as data, or why none was read. */
export type SentFile = {
  fileName: string;
  contentType: string;
  size: number;
  text: string;
  /** A document; composing the request for a model reads its text. */
  unread?: Buffer;
  isWhole?: boolean;
  problem?: string;
};

/** The content of a message: its texts joined by line breaks, images and PDFs, and other files. */
export type Content = { text: string; media: Media[]; files: SentFile[] };

const DataUri = z
  .string()
  .regex(DATA_URI, ONLY_DATA)
  .transform((uri, context) => {
    const bytes = Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64');
    const problem =
      bytes.length === 0
        ? 'holds no base64'
        : bytes.length > MAX_MEDIA_BYTES
          ? 'may hold 8 MB'
          : null;
    if (problem === null) return bytes;
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  });

const TextPart = z
  .object({ type: z.enum(['text', 'input_text', 'output_text']), text: Text(MAX_TEXT) })
  .transform(({ text }): Partial<Content> => ({ text }));

/** Of an earlier answer, as it is resent. */
const RefusalPart = z
  .object({ type: z.literal('refusal'), refusal: Text(MAX_TEXT) })
  .transform(({ refusal: text }): Partial<Content> => ({ text }));

const ImagePart = z
  .object({
    type: z.literal('image_url'),
    image_url: z.object({
      url: DataUri,
      detail: z.enum(['low', 'high', 'auto']).nullish().catch(null),
    }),
  })
  .transform(({ image_url: { url: bytes, detail } }, context): Partial<Content> => {
    const mediaType = imageType(contentTypeOf(bytes, '') ?? '');
    if (mediaType) {
      const base64 = bytes.toString('base64');
      return { media: [{ kind: 'image', mediaType, base64, ...(detail ? { detail } : {}) }] };
    }
    context.addIssue({ code: 'custom', message: 'images may be PNG, JPEG, GIF and WebP' });
    return z.NEVER;
  });

const FilePart = z
  .object({
    type: z.literal('file'),
    file: z.object({
      file_data: DataUri.optional(),
      filename: z.string().max(MAX_NAME).nullish(),
    }),
  })
  .transform(({ file: { file_data: bytes, filename } }, context): Partial<Content> => {
    const fileName = visibleName(filename ?? 'file');
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (!bytes)
      return refuse('a file must come as file_data; uploaded files go into `attachments`');
    const contentType = contentTypeOf(bytes, fileName);
    if (contentType === 'application/pdf')
      return { media: [{ kind: 'pdf', fileName, base64: bytes.toString('base64') }] };
    if (contentType === null || !(isText(contentType) || formatOf(contentType)))
      return refuse(`files may be ${TAKEN_AS_TEXT}`);
    const file = { fileName, contentType, size: bytes.length };
    return isText(contentType)
      ? { files: [{ ...file, text: decoded(bytes) }] }
      : { files: [{ ...file, text: '', unread: bytes }] };
  });

const PARTS = [TextPart, RefusalPart, ImagePart, FilePart] as const;
const TYPES: ReadonlySet<unknown> = new Set([
  'text',
  'input_text',
  'output_text',
  'refusal',
  'image_url',
  'file',
]);
const Part = z.discriminatedUnion('type', PARTS, {
  error: 'content parts may be of the types text, image_url and file',
});

/** Content of a message as a text or as parts. */
export const Content = z
  .preprocess(
    (given) => (typeof given === 'string' ? [{ type: 'text', text: given }] : (given ?? [])),
    z.array(Part, 'must be a text or a list of parts').max(MAX_PARTS),
  )
  .transform((parts): Content => ({
    text: parts.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n'),
    media: parts.flatMap(({ media = [] }) => media),
    files: parts.flatMap(({ files = [] }) => files),
  }));

/** An earlier answer without its parts of other types: its calls come as calls, and thoughts are none of its words. */
export function withoutOthers(message: unknown): unknown {
  const { role, content } = Object(message);
  if (role !== 'assistant' || !Array.isArray(content)) return message;
  const isOther = (part: unknown): boolean => {
    const { type } = Object(part);
    return typeof type === 'string' && !TYPES.has(type);
  };
  return { ...Object(message), content: content.filter((part) => !isOther(part)) };
}
