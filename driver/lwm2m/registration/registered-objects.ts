import { MAX_OBJECTS } from '../../../src/bus/topic/registered-topic.ts';
import type { Link } from '../codec/link-format.ts';
import { parsePath, parseRoot } from '../codec/path.ts';
import { codecs } from '../format/codecs.ts';
import type { SavedRegistration } from './journal.ts';

/** Contents of the links of a registration. */
type LinkContent = {
  /** The path of all objects (OMA Core 1.1, 6.4.1). */
  root: string[];
  contentFormats: number[];
  /** Paths of the objects and their instances, and the number of those beyond the limit. */
  objects: string[];
  leftOut: number;
};

/**
 * What the links of a Register or Update say; without links nothing. The supported formats are of the root link; some
 * devices give them with the link to `/` and name no resource type.
 */
export function contentOfLinks(links: readonly Link[] | null): LinkContent {
  const top = links?.find(({ attributes }) => attributes['rt']?.split(' ').includes('oma.lwm2m'));
  const plain = top ?? links?.find(({ target }) => target === '/');
  const named = (plain?.attributes['ct'] ?? '')
    .split(' ')
    .filter((ct) => /^\d{1,5}$/.test(ct))
    .map(Number)
    .filter((ct) => codecs.has(ct));
  const contentFormats = [...new Set(named)];
  const root = parseRoot(top?.target ?? '/');
  const paths = new Set((links ?? []).flatMap(({ target }) => objectPath(target, root) ?? []));
  const objects = [...paths].slice(0, MAX_OBJECTS);
  return { root, contentFormats, objects, leftOut: paths.size - objects.length };
}

/** Takes the links of an Update; other formats than before make void what was learned about them. */
export function relink(
  registration: SavedRegistration,
  links: readonly Link[],
  objectsAt: number,
): void {
  const content = contentOfLinks(links);
  if (content.contentFormats.join() !== registration.contentFormats.join())
    delete registration.spoken;
  Object.assign(registration, content, { objectsAt });
}

/** The path below the root as `3303/0`; null for a link to anything else. */
function objectPath(target: string, root: readonly string[]): string | null {
  const parts = target.split('/').filter((part) => part !== '');
  const isBelow = root.every((part, at) => parts[at] === part);
  const ids = isBelow ? parsePath(parts.slice(root.length).join('/')) : null;
  return ids && ids.length > 0 && ids.length <= 3 ? ids.join('/') : null;
}
