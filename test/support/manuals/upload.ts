import { z } from 'zod';

import type { Session } from '../people/session.ts';

const PATH = '/api/v3/agentic/manual';
const TIMEOUT_MS = 60_000;

const Envelope = z.object({
  ok: z.boolean(),
  code: z.string(),
  message: z.string(),
  data: z.unknown().optional(),
});
const Manual = z.object({
  id: z.string(),
  manualName: z.string(),
  pages: z.number(),
  wholeFlag: z.number(),
});
const Found = z.array(
  z.object({
    manualId: z.string(),
    manualName: z.string(),
    page: z.number(),
    pages: z.number(),
    text: z.string(),
  }),
);

/** A document as a browser sends it; whatever is answered. */
export async function uploadManual(
  { base, headers }: Pick<Session, 'base' | 'headers'>,
  content: string | Uint8Array<ArrayBuffer>,
  fileName: string,
  given: Record<string, string>,
) {
  const form = new FormData();
  form.set('file', new Blob([content]), fileName);
  const response = await fetch(`${base}${PATH}/upload?${new URLSearchParams(given).toString()}`, {
    method: 'POST',
    headers,
    body: form,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, body: Envelope.parse(await response.json()) };
}

/** One that must be taken. */
export async function manualOf(...given: Parameters<typeof uploadManual>) {
  const { body } = await uploadManual(...given);
  if (!body.ok) throw new Error(`the upload of a manual answered ${body.code}: ${body.message}`);
  return Manual.parse(body.data);
}

/** The pages that words are found on, best first. */
export const searchManuals = async (session: Session, given: object) =>
  Found.parse(await session.data(`${PATH}/search`, given));
