import type { Random } from '../hostile/random.ts';
import { type Plant, shuffled } from './plant.ts';

/** A phrase for a point of a device, as a person or a model writes it. */
export type Asked = { phrase: string; deviceId: string; pointId: string };

/** Parts of a name that stay together: words with the number behind them. */
const GROUP = /[^\d\s/,#-]+(?:\s+[^\d\s/,#-]+)*(?:[\s#-]*\d+)?/gu;

/** Another order of the parts, other signs and cases, and in every second phrase a typo. */
export function askedOf(random: Random, { devices, profiles }: Plant): Asked {
  const device = random.pick(devices);
  const point = random.pick(profiles.find(({ id }) => id === device.profileId)?.points ?? []);
  const parts = device.name.match(GROUP) ?? [];
  const deviceParts = random.chance(0.5) ? parts : shuffled(random, parts);
  const pointWords = random.chance(0.7) ? point.name : point.name.split(' ').toReversed().join(' ');
  const order = random.pick([
    [...deviceParts, pointWords],
    [pointWords, ...deviceParts],
    [pointWords, random.pick(['of', 'of the', 'in', 'at']), ...deviceParts],
  ]);
  const written = order
    .map((part) =>
      part.replace(/[\s#-]*(\d+)$/u, (_, n: string) =>
        random.pick([` ${n}`, n, `-${n}`, ` 0${n}`]),
      ),
    )
    .join(random.pick([' ', ' ', ', ', ' - ', '_']));
  const cased = random.pick([
    (text: string) => text,
    (text: string) => text.toUpperCase(),
    (text: string) => text.toLowerCase(),
  ])(written);
  const phrase = random.chance(0.5) ? cased : withTypo(random, cased);
  return { phrase, deviceId: device.id, pointId: point.id };
}

/** One letter of a word of five letters or more is missing, doubled, wrong or swapped with the next. */
function withTypo(random: Random, phrase: string): string {
  const words = [...phrase.matchAll(/\p{L}{5,}/gu)];
  if (words.length === 0) return phrase;
  const word = random.pick(words);
  const [text] = word;
  const at = 1 + random.upTo(text.length - 2);
  const [letter = '', next = ''] = [text[at], text[at + 1]];
  const wrong = random.pick([
    text.slice(0, at) + text.slice(at + 1),
    text.slice(0, at) + letter + text.slice(at),
    `${text.slice(0, at)}${random.pick(Array.from('aeinrst'))}${text.slice(at + 1)}`,
    text.slice(0, at) + next + letter + text.slice(at + 2),
  ]);
  return phrase.slice(0, word.index) + wrong + phrase.slice(word.index + text.length);
}
