import { z } from 'zod';

import type { Session } from '../people/session.ts';

const PATH = '/api/v3/manager/firmware/upload';
const TIMEOUT_MS = 60_000;

const Envelope = z.object({ ok: z.boolean(), code: z.string(), data: z.unknown().optional() });
const Package = z.object({
  id: z.string(),
  packageName: z.string(),
  packageVersion: z.string(),
  size: z.number(),
  sha256: z.string(),
  packageUri: z.string(),
});
export type FirmwarePackage = z.infer<typeof Package>;

/** A package as a browser sends it; whatever is answered. */
export async function uploadFirmware(
  { base, headers }: Pick<Session, 'base' | 'headers'>,
  bytes: Uint8Array<ArrayBuffer>,
  given: Record<string, string>,
) {
  const form = new FormData();
  form.set('file', new Blob([bytes]), 'image.bin');
  const response = await fetch(`${base}${PATH}?${new URLSearchParams(given).toString()}`, {
    method: 'POST',
    headers,
    body: form,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, body: Envelope.parse(await response.json()) };
}

/** A package that must be taken. */
export async function firmwarePackage(
  ...given: Parameters<typeof uploadFirmware>
): Promise<FirmwarePackage> {
  const { body } = await uploadFirmware(...given);
  if (!body.ok) throw new Error(`the upload of a package answered ${body.code}`);
  return Package.parse(body.data);
}
