import { open, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

import type { Entry } from './tar.ts';

/** Of the running process, or made anew by the next one. */
const LEFT_OUT =
  /^(embedded\.lock.*|backup\.sock|pg\.incomplete|pg\/(postmaster\.(pid|opts)|pg_stat_tmp\/.+))$/;
const CHUNK = 1024 ** 2;

/** All below a folder but what `isLeft` says; files that go meanwhile are left out. */
export async function* filesBelow(
  root: string,
  below: string,
  isLeft: (name: string) => boolean = () => false,
): AsyncGenerator<Entry> {
  const found = await readdir(join(root, below), { recursive: true, withFileTypes: true });
  for (const entry of found) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(root, path).replaceAll('\\', '/');
    if (LEFT_OUT.test(name) || isLeft(name)) continue;
    if (entry.isDirectory()) yield { name: `${name}/`, size: 0, content: nothing() };
    else if (entry.isFile()) yield* fileAt(path, name);
  }
}

export const entryOf = (name: string, text: string): Entry => {
  const bytes = Buffer.from(text);
  return { name, size: bytes.length, content: once(bytes) };
};

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** As long as it was when it was opened: what a database adds or cuts off meanwhile is in its log. */
async function* fileAt(path: string, name: string): AsyncGenerator<Entry> {
  const file = await open(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (!file) return;
  try {
    const { size } = await file.stat();
    yield { name, size, content: read(file, size) };
  } finally {
    await file.close();
  }
}

async function* read(file: Awaited<ReturnType<typeof open>>, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size;) {
    const length = Math.min(CHUNK, size - at);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
    const part = bytesRead === 0 ? Buffer.alloc(length) : buffer.subarray(0, bytesRead);
    at += part.length;
    yield part;
  }
}
