import type { cardTexts } from './sentence-words.ts';

type Strings<T> = { readonly [K in keyof T]: T[K] extends string ? string : Strings<T[K]> };
type CardTexts = Strings<(typeof cardTexts)['en']>;

/** What a person should know before a decision, as a code with what its sentence names. */
export type Note =
  | { code: 'CHANGED'; changes: readonly string[] }
  | { code: 'TAINTED'; texts: number; atLeast: boolean }
  | { code: 'SAME_VALUE'; write: number | null; isNow: boolean }
  | {
      code: 'OTHER_WRITE';
      write: number | null;
      kind: keyof CardTexts['otherWrite']['now'];
      became: keyof CardTexts['otherWrite']['became'] | null;
      id: string;
      value: string;
      unit: string;
      by: string;
    }
  | { code: 'REJECTED_BEFORE'; write: number | null; at: string; by: string; why: string };

/** How the names, texts and values in a sentence are drawn; `T` is text, or an element of a page. */
export type Draw<T> = {
  /** A text of a person, a device or an agent; `max` characters where it may not be longer. */
  text(given: string, max: number): T;
  amount(value: string, unit: string): T;
  time(iso: string): T;
  /** Phrases of the platform. */
  phrases(given: readonly string[]): T;
  /** Of an action, or of the command of a direct write. */
  id(given: string, isAction: boolean): T;
};

type Parts<T> = (string | T)[];

/** A text of the catalogue in parts, each {name} in it as it is given. */
const fill = <T>(text: string, given: Readonly<Record<string, Parts<T>>>): Parts<T> =>
  text
    .split(/\{(\w+)\}/)
    .flatMap((part, index) => (index % 2 === 0 ? [part] : (given[part] ?? [])))
    .filter((part) => part !== '');

const MAX_NAME = 48;
const MAX_REASON = 128;

/** A note as its sentence. */
export function sentenceOf<T>(note: Note, texts: CardTexts, draw: Draw<T>): Parts<T> {
  if (note.code === 'CHANGED')
    return fill(texts.changed, { changes: [draw.phrases(note.changes)] });
  if (note.code === 'TAINTED') return fill(texts.tainted, { texts: textsRead(note, texts) });
  if (note.code === 'SAME_VALUE')
    return ofWrite(note.write, texts, [texts.sameValue[note.isNow ? 'now' : 'before']]);
  if (note.code === 'OTHER_WRITE')
    return ofWrite(note.write, texts, otherWrite(note, texts.otherWrite, draw));
  const { at, by, why } = note;
  const { sentence, saying } = texts.rejectedBefore;
  const given = {
    at: [draw.time(at)],
    by: [draw.text(by, MAX_NAME)],
    saying: why === '' ? [] : fill(saying, { why: [draw.text(why, MAX_REASON)] }),
  };
  return ofWrite(note.write, texts, fill(sentence, given));
}

/** Of several writes, the note names its own. */
const ofWrite = <T>(write: number | null, texts: CardTexts, note: Parts<T>): Parts<T> =>
  write === null ? note : fill(texts.ofWrite, { n: [String(write)], note });

function textsRead(
  { texts: count, atLeast }: Extract<Note, { code: 'TAINTED' }>,
  { texts: { one, several, atLeast: more } }: CardTexts,
): string[] {
  if (count === 1 && !atLeast) return [one];
  return fill<string>(atLeast ? more : several, { n: [String(count)] });
}

/** A fact of the card that is not known to be one still is reported of its time. */
function otherWrite<T>(
  { kind, became, id, value, unit, by }: Extract<Note, { code: 'OTHER_WRITE' }>,
  texts: CardTexts['otherWrite'],
  draw: Draw<T>,
): Parts<T> {
  return fill(texts[became === kind ? 'now' : 'before'][kind], {
    value: [draw.amount(value, unit)],
    by: by === '' ? [] : fill(texts.by, { name: [draw.text(by, MAX_NAME)] }),
    since: became === null ? [] : fill(texts.since, { became: [texts.became[became]] }),
    id: [draw.id(id, kind === 'PROPOSED')],
  });
}

type Source = { text: string; field: string; of: string; tool: string; at: string };

/** A text that the proposer had read, and where it was. */
export const sourceParts = <T>(
  { text, field, of, tool, at }: Source,
  { source, sourceOf }: CardTexts,
  draw: Draw<T>,
): Parts<T> =>
  fill(source, {
    text: [draw.text(text, 200)],
    field: [field],
    of: of === '' ? [] : fill(sourceOf, { of: [draw.text(of, 128)] }),
    tool: [tool],
    at: [draw.time(at)],
  });

type Package = {
  packageModel: string;
  packageUri: string;
  devices: readonly { model: string | null }[];
};
type FirmwareNote = { code: 'BYTES_UNKNOWN' | 'IN_CLEAR' | 'MODELS_DIFFER'; devices: number };
type LeftOut = {
  code: keyof CardTexts['leftOut'];
  versionNow: string | null;
  model: string | null;
};

const MAX_MODELS = 5;

/** A note on a roll-out as its sentence. */
export function firmwareSentence<T>(
  { code, devices: count }: FirmwareNote,
  { packageUri, devices }: Package,
  { firmware: texts }: CardTexts,
  draw: Draw<T>,
): (string | T)[] {
  if (code === 'BYTES_UNKNOWN') return fill(texts[code], { uri: [draw.text(packageUri, 255)] });
  if (code === 'IN_CLEAR')
    return fill<T>(texts[code][count === 1 ? 'one' : 'several'], { n: [String(count)] });
  const models = [...new Set(devices.flatMap(({ model }) => (model === null ? [] : [model])))];
  return fill(texts[code], {
    models: models
      .slice(0, MAX_MODELS)
      .flatMap((model, index) => [...(index > 0 ? [', '] : []), draw.text(model, 48)]),
    more: models.length > MAX_MODELS ? [texts.moreModels] : [],
  });
}

/** Why a device is left out, as the end of a sentence about it. */
export const leftOutReason = <T>(
  { code, versionNow, model }: LeftOut,
  { packageModel }: Pick<Package, 'packageModel'>,
  { leftOut: texts }: CardTexts,
  draw: Draw<T>,
): (string | T)[] =>
  fill(texts[code], {
    version: [draw.text(versionNow ?? '', 64)],
    model: [draw.text(model ?? '', 64)],
    wanted: [draw.text(packageModel, 64)],
  });
