import { readFileSync } from 'node:fs';

/** What a comment in front of a block says of it, as `<!-- first terminal -->`. */
type Place =
  | 'second terminal'
  | 'first terminal'
  | 'third terminal'
  | 'platform stopped'
  | 'browser'
  | 'not run';

export type Block = {
  file: string;
  heading: string;
  place: Place;
  /** Why it is not run, or what the test does beside it. */
  reason: string;
  script: string;
};

const PLACES: readonly string[] = [
  'first terminal',
  'third terminal',
  'platform stopped',
  'browser',
  'not run',
] satisfies Place[];
const isPlace = (text: string): text is Place => PLACES.includes(text);

/** The `sh` blocks of a document in order, each with its heading and place. */
export function blocksOf(file: string): Block[] {
  const text = readFileSync(file, 'utf8');
  let heading = '';
  const blocks: Block[] = [];
  const parts =
    /^#+ (.+)$|(?:^<!-- ([a-z ]+)(?:: (.+))? -->\n\n?)?^```sh\n([\s\S]*?)^```$|^```\w*\n[\s\S]*?^```$/gm;
  for (const [, title, marker, reason = '', script] of text.matchAll(parts)) {
    if (title !== undefined) heading = title;
    if (script === undefined) continue;
    if (marker !== undefined && !isPlace(marker))
      throw new Error(`${file}, ${heading}: there is no place "${marker}" for a block`);
    blocks.push({ file, heading, place: marker ?? 'second terminal', reason, script });
  }
  const placed = blocks.filter(({ place }) => place !== 'second terminal').length;
  if (text.match(/^<!--/gm)?.length !== (placed || undefined))
    throw new Error(`${file}: a comment is in front of no block`);
  return blocks;
}
