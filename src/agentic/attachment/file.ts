import { randomBytes } from 'node:crypto';
import { access, constants, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import type { App } from '../../app.ts';
import { ConfigError } from '../../core/config.ts';
import { Unavailable } from '../../core/errors.ts';

type At = { config: { agentic: { attachmentPath: string } } };

/** What `keepFile` makes; anything else in the directory is not ours to remove. */
const NAME = /^[0-9a-f]{32}(\.part)?$/;
const TENANT = /^\d{1,19}$/;

/** The place of a kept file, null for a name that `keepFile` never made. */
function placeOf({ config }: At, filePath: string): string | null {
  const [tenantId = '', name = '', ...rest] = filePath.split('/');
  const isOurs = TENANT.test(tenantId) && NAME.test(name) && rest.length === 0;
  return isOurs ? join(config.agentic.attachmentPath, tenantId, name) : null;
}

/** Makes the storage directory; throws ConfigError where it cannot be one. */
export async function openStorage({ config }: At): Promise<void> {
  const { attachmentPath } = config.agentic;
  try {
    await mkdir(attachmentPath, { recursive: true, mode: 0o700 });
    await access(attachmentPath, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new ConfigError(
      `AGENTIC_ATTACHMENT_STORAGE_PATH: ${attachmentPath} is no directory that can be written to`,
      { cause },
    );
  }
}

/**
 * Keeps bytes under a random name in the tenant's own folder, whole or not at all, and answers that
 * name (`tenant/name`), which says nothing about the machine. Readable by the platform's user alone.
 * Throws Unavailable when it cannot be written.
 */
export async function keepFile(app: At, tenantId: string, bytes: Buffer): Promise<string> {
  const folder = join(app.config.agentic.attachmentPath, tenantId);
  const name = randomBytes(16).toString('hex');
  const part = join(folder, `${name}.part`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await open(part, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, join(folder, name));
    await syncFolder(folder);
  } catch (error) {
    for (const place of [part, join(folder, name)])
      await rm(place, { force: true }).catch(() => {});
    throw new Unavailable('Attachments cannot be kept now', error);
  }
  return `${tenantId}/${name}`;
}

/** The new name itself must survive a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The first `length` bytes of a kept file; null when it is not there. */
export async function readKept(app: At, filePath: string, length: number): Promise<Buffer | null> {
  const place = placeOf(app, filePath);
  const file = place === null ? null : await open(place, 'r').catch(() => null);
  if (file === null) return null;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Removes kept files; one that cannot be removed now is an orphan that the sweep takes. */
export async function removeKept(app: App, filePaths: readonly string[]): Promise<void> {
  for (const filePath of filePaths) {
    const place = placeOf(app, filePath);
    if (place === null) continue;
    await rm(place, { force: true }).catch((error: unknown) =>
      app.log.warn({ error, filePath }, 'an attachment could not be removed'),
    );
  }
}

/** Names (`tenant/name`) of kept files that were written before `before` (ms), at most `limit`. */
export async function* keptBefore(app: At, before: number, limit: number): AsyncGenerator<string> {
  const root = app.config.agentic.attachmentPath;
  let left = limit;
  for (const tenantId of await namesIn(root)) {
    if (!TENANT.test(tenantId)) continue;
    for (const name of await namesIn(join(root, tenantId))) {
      const found = NAME.test(name)
        ? await stat(join(root, tenantId, name)).catch(() => null)
        : null;
      if (!found?.isFile() || found.mtimeMs >= before) continue;
      if (left-- === 0) return;
      yield `${tenantId}/${name}`;
    }
  }
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
