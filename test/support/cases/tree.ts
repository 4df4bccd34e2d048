import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Copies what runs to a new folder, for a test to change; the test removes it. */
export function copyOfTree(): string {
  const tree = mkdtempSync(join(tmpdir(), 'svc-tree-'));
  for (const part of ['src', 'tools', 'providers', 'driver', 'sql', 'docs', 'package.json'])
    cpSync(part, join(tree, part), { recursive: true });
  // A folder of its own, so that what is beside the packages is this tree's.
  mkdirSync(join(tree, 'node_modules'));
  for (const name of readdirSync('node_modules').filter((entry) => !entry.startsWith('.')))
    symlinkSync(resolve('node_modules', name), join(tree, 'node_modules', name));
  return tree;
}
