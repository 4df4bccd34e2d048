import { allows } from '../../auth/permission/permission.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { type AppError, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { type Candidate, factsOf, candidateText } from './candidate.ts';
import type { Named } from './name-list.ts';
import type { Kind } from './search.ts';

/** Candidates that a refusal names. */
const MAX_CANDIDATES = 5;
const MAX_POINTS = 8;

/** What was asked for by a name that is not of exactly one. */
export type Asked = {
  kind: Kind | 'point' | 'pair';
  text: string;
  found: { several: readonly Candidate[]; near: readonly Candidate[] };
  /** Nothing is near: `near` are those that there are. */
  isAll?: boolean;
};

/** Not yet in words: those take a trip, for what is known of the candidates. */
export class NotOne extends Error {
  override readonly name = 'NotOne';
  readonly asked: Asked;

  constructor(asked: Asked) {
    super('a name is not of exactly one');
    this.asked = asked;
  }
}

/** The refusal in words, with what is known of the candidates; names only where the caller may list them. */
export async function refusalOf(app: App, caller: Caller, asked: Asked): Promise<AppError> {
  const { kind, text, found } = asked;
  const { several, near } = found;
  const areDevices = kind === 'device' || kind === 'pair';
  const isOfDevice = kind === 'pair' && several.length === 0;
  const named = (several.length > 0 ? several : near).slice(
    0,
    isOfDevice ? MAX_POINTS : MAX_CANDIDATES,
  );
  const facts = await inOneTrip(app.db, caller.tenantId, (q) =>
    factsOf(q, caller.tenantId, { candidates: named, areDevices }, app.clock.now()),
  );
  const shown = mayList(caller, kind) ? named : [];
  const names = (isPair: boolean) =>
    shown.map((one) => candidateText(one, isPair ? 'device' : kind, facts)).join('; ');
  if (several.length > 0) {
    const more = several.length > shown.length && shown.length > 0 ? '; and more' : '';
    const list = shown.length === 0 ? '' : `: ${names(kind === 'pair')}${more}`;
    return new Unprocessable(
      `${quoted(text)} fits ${several.length}${list}. Give an id, or more of the name`,
    );
  }
  const noun = kind === 'pair' ? 'point' : kind;
  // The answer for another tenant's id is that for any other one.
  if (/^\d+$/.test(text)) return new NotFound(`${noun.charAt(0).toUpperCase()}${noun.slice(1)}`);
  const what = `A ${noun} ${quoted(text)}`;
  const [first] = shown;
  if (!first) return new NotFound(what);
  if (!('point' in first))
    return new NotFound(what, `${asked.isAll ? 'there are' : 'near'}: ${names(kind === 'pair')}`);
  const points = shown.map((pair) => ('point' in pair ? listed(pair.point) : ''));
  const more = near.length > shown.length ? ' and more' : '';
  const its = `${quoted(first.device.name)} (deviceId ${first.device.id}) has ${points.join(', ')}${more}`;
  return new NotFound(what, its);
}

const listed = ({ name, id }: Named): string => `${quoted(name)} (pointId ${id})`;

function mayList(caller: Caller, kind: Asked['kind']): boolean {
  const nouns = kind === 'pair' ? ['device', 'point'] : [kind];
  return nouns.every((noun) => allows(caller, `svc-center-manager:${noun}:list`));
}
