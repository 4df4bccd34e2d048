import { randomBytes } from 'node:crypto';
import { access, constants, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import type { App } from '../../kernel/app/app.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { ConfigError } from '../../kernel/process/config.ts';

type At = { config: { agentic: { attachmentPath: string } } };

/** File names that `keepFile` makes; other files in the directory are never removed. */
const NAME = /^[0-9a-f]{32}(\.part)?$/;
const TENANT = /^\d{1,19}$/;

/** Path of a stored file; null for a name that `keepFile` never made. */
function placeOf({ config }: At, filePath: string): string | null {
  const [tenantId = '', name = '', ...rest] = filePath.split('/');
  const isOurs = TENANT.test(tenantId) && NAME.test(name) && rest.length === 0;
  return isOurs ? join(config.agentic.attachmentPath, tenantId, name) : null;
}

/** Creates the storage directory; throws ConfigError when it cannot be created or written to. */
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
 * Stores bytes under a random name in the tenant's own folder, all or nothing, readable by the platform's
 * user alone. Returns the name (`tenant/name`), which reveals nothing about the machine. Throws Unavailable
 * when the file cannot be written.
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

/** Makes the new name itself survive a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The first `length` bytes of a stored file; null when the file does not exist. */
export async function readStored(
  app: At,
  filePath: string,
  length: number,
): Promise<Buffer | null> {
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

/** Removes stored files; a file that cannot be removed now is left to the sweeper. */
export async function removeStored(app: App, filePaths: readonly string[]): Promise<void> {
  for (const filePath of filePaths) {
    const place = placeOf(app, filePath);
    if (place === null) continue;
    await rm(place, { force: true }).catch((error: unknown) =>
      app.log.warn({ error, filePath }, 'attachment file not removed, left to the sweeper'),
    );
  }
}

/** Names (`tenant/name`) of stored files written before `before` (ms), at most `limit`. */
export async function* storedBefore(
  app: At,
  before: number,
  limit: number,
): AsyncGenerator<string> {
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
