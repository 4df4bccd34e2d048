import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { z } from 'zod';

import type { Artefact } from './record.ts';

/** A difference that is meant: the lines of a diff that match, in the sections that match; narrower is better. */
const Meant = z.array(
  z.strictObject({
    artefact: z.string(),
    sections: z.string(),
    lines: z.string(),
    why: z.string().min(10),
  }),
);
const listed = new URL('differences.json', import.meta.url);
const meant = Meant.parse(JSON.parse(readFileSync(listed, 'utf8'))).map((one) => ({
  ...one,
  sections: new RegExp(one.sections),
  lines: new RegExp(one.lines),
  isUsed: false,
}));

function isMeant(artefact: string, section: string, line: string): boolean {
  const found = meant.filter(
    (one) =>
      one.artefact === artefact && one.sections.test(section) && one.lines.test(line.trimEnd()),
  );
  for (const one of found) one.isUsed = true;
  return found.length > 0;
}

/** Prints what differs and is not meant; how many lines that are. */
export function compare(name: string, base: Artefact, now: Artefact): number {
  const order = (artefact: Artefact) => [...artefact.keys()].join('\n');
  const names = [...new Set([...base.keys(), ...now.keys()])];
  const pairs = names.map((at) => [at, base.get(at) ?? '', now.get(at) ?? ''] as const);
  let [all, unmeant] = [0, 0];
  for (const [section, was, is] of [['sections', order(base), order(now)] as const, ...pairs]) {
    if (was === is) continue;
    const diff = diffOf(was, is);
    const lines = diff.filter((line) => /^[+-]/.test(line));
    const open = lines.filter((line) => !isMeant(name, section, line)).length;
    all += lines.length;
    unmeant += open;
    if (open > 0) console.log(`--- ${name}: ${section}\n${diff.join('\n')}`);
  }
  console.log(`${name}: ${all === 0 ? 'same' : `${all} lines differ, ${all - unmeant} listed`}`);
  return unmeant;
}

/** Entries of the list that no longer differ; how many. */
export function unused(): number {
  const left = meant.filter(({ isUsed }) => !isUsed);
  for (const { artefact, why } of left)
    console.log(`differences.json: ${artefact} has no more: ${why}`);
  return left.length;
}

function diffOf(was: string, is: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'svc-same-diff-'));
  try {
    const files = [was, is].map((text, at) => {
      const file = join(folder, String(at));
      writeFileSync(file, `${text}\n`);
      return file;
    });
    const git = ['diff', '--no-index', '--no-color', '-U2', ...files];
    const { stdout } = spawnSync('git', git, { encoding: 'utf8', maxBuffer: 1 << 28 });
    return stdout.trimEnd().split('\n').slice(4);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
