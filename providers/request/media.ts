/** A part of a question that is no text, for models that can see. */
export type Media =
  | { kind: 'image'; mediaType: ImageType; base64: string; detail?: 'low' | 'high' | 'auto' }
  | { kind: 'pdf'; fileName: string; base64: string };

/** Of one image or PDF. */
export const MAX_MEDIA_BYTES = 8 * 1024 * 1024;

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
type ImageType = (typeof IMAGE_TYPES)[number];

/** The type as one of those that vendors take; undefined for another. */
export const imageType = (type: string): ImageType | undefined =>
  IMAGE_TYPES.find((known) => known === type);

export const dataUri = (media: Media): string =>
  `data:${media.kind === 'pdf' ? 'application/pdf' : media.mediaType};base64,${media.base64}`;
