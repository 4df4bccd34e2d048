import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Words that only this project used in this sense; `docs/vocabulary.md` has the ones to use. */
const PRIVATE = new Set(
  (
    'said told heard shown kept relied judge judges judged turnstile rooms door doors eyes later here over way ' +
    'course ink away news look acting familiar adopt together'
  ).split(' '),
);
/** Names of the wire (`UNDER_WAY` is a code) and of SQL (`svc_heard_text`). */
const GIVEN = /under[ _-]?way|HeardTextTable/gi;

const EXPORTED =
  /^export (?:async )?(?:const|let|function\*?|class|type|enum|interface) ([\w$]+)|^export (?:type )?(\{[^}]*\})/gm;
const LOGGED = /\b(?:log|logger)\??\.(?:trace|debug|info|warn|error|fatal)\(([\s\S]*?)\);/g;
const TEXT = /'([^'\n]*)'|`([^`]*)`/g;

const wordsIn = (name: string): string[] =>
  name
    .replaceAll(GIVEN, ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
const isPrivate = (name: string): boolean => wordsIn(name).some((word) => PRIVATE.has(word));

type Names = { paths: string[]; exported: string[]; logged: string[] };

/** The private words of names: of files and folders, of what files export, and in the texts of log lines. */
export function privateNames(root: string, files: readonly string[]): Names {
  const parts = new Set(
    files.flatMap((file) => file.split('/').map((_, at, all) => all.slice(0, at + 1).join('/'))),
  );
  const names: Names = {
    paths: [...parts].filter((path) => isPrivate(path.split('/').at(-1) ?? '')),
    exported: [],
    logged: [],
  };
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, name, list = ''] of text.matchAll(EXPORTED))
      for (const exported of name ? [name] : (list.match(/[\w$]+(?=\s*[,}])/g) ?? []))
        if (isPrivate(exported)) names.exported.push(`${file} ${exported}`);
    for (const [, call = ''] of text.matchAll(LOGGED))
      for (const [, plain, template] of call.matchAll(TEXT)) {
        const line = plain ?? template ?? '';
        if (isPrivate(line)) names.logged.push(`${file} '${line}'`);
      }
  }
  return names;
}
