import { imageType, MAX_MEDIA_BYTES, type Media } from '../../../providers/request/media.ts';
import type { App } from '../../kernel/app/app.ts';
import type { Attachment } from './attachment.ts';
import { readStored } from './file.ts';

/** What a question may bring to a model beside its text. */
export type Sight = {
  /** Why the model gets no images; null: it sees them. */
  problem: string | null;
  /** How many images it may get. */
  count: number;
  /** Bytes of all of them. */
  bytes: number;
};

/** An image for the model; or the sentence that says in its data why it gets none. */
type Shown = { media: Media; bytes: number } | { problem: string };

/** Whether this is a file that models see rather than read. */
export const isImage = ({ contentType }: Attachment): boolean =>
  imageType(contentType) !== undefined;

/**
 * An uploaded image in the form of an image of the request. One that cannot be shown is no error: a file of a
 * conversation must not make its turns impossible.
 */
export async function imageOf(
  app: App,
  { contentType, filePath, size }: Attachment,
  { problem, count, bytes: left }: Sight,
): Promise<Shown> {
  const mediaType = imageType(contentType);
  if (mediaType === undefined) return { problem: 'the file is no image' };
  if (problem !== null) return { problem };
  if (size > MAX_MEDIA_BYTES)
    return { problem: 'the model does not see it: an image may hold 8 MB' };
  if (count < 1 || size > left)
    return { problem: 'the model does not see it: the images of a turn are too many or too large' };
  const bytes = await readStored(app, filePath, size);
  if (bytes === null) return { problem: 'the file is not there any more' };
  const media = { kind: 'image', mediaType, base64: bytes.toString('base64') } as const;
  return { media, bytes: size };
}
