import { z } from 'zod';

import type { Session } from './session.ts';

const PATH = '/api/v3/agentic/attachment/upload';
const TIMEOUT_MS = 30_000;

const Envelope = z.object({
  ok: z.boolean(),
  code: z.string(),
  message: z.string(),
  data: z.unknown().optional(),
});
const Attachment = z.object({
  id: z.string().regex(/^\d+$/),
  conversationId: z.string(),
  fileName: z.string(),
  contentType: z.string(),
  size: z.number(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  filePath: z.string().regex(/^\d+\/[0-9a-f]{32}$/),
});

/** Posts a body as it is; `type` is the content type, which fetch makes itself for a form. */
export async function uploadRaw(
  { base, headers }: Pick<Session, 'base' | 'headers'>,
  conversationId: string,
  body: FormData | string | Uint8Array<ArrayBuffer>,
  type?: string,
) {
  const query = new URLSearchParams({ conversation_id: conversationId }).toString();
  const response = await fetch(`${base}${PATH}?${query}`, {
    method: 'POST',
    headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, body: Envelope.parse(await response.json()) };
}

export const uploadForm = (session: Session, conversationId: string, form: FormData) =>
  uploadRaw(session, conversationId, form);

/** One file as a browser sends it; whatever is answered. */
export function uploadFile(
  session: Session,
  conversationId: string,
  content: string | Uint8Array<ArrayBuffer>,
  fileName = 'notes.txt',
) {
  const form = new FormData();
  form.set('file', new Blob([content]), fileName);
  return uploadForm(session, conversationId, form);
}

/** One file that must be taken. */
export async function attach(...given: Parameters<typeof uploadFile>) {
  const { body } = await uploadFile(...given);
  if (!body.ok) throw new Error(`the upload answered ${body.code}: ${body.message}`);
  return Attachment.parse(body.data);
}
