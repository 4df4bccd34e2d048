import type { Schemas } from '../../client/operations.ts';

type Resource = Schemas['Resource'];

export type Right = {
  resourceId: string;
  code: string;
  /** What it allows; the code where no word is known. */
  verb: string;
  isDisabled: boolean;
};

/** Rights on one thing, in the order of its verbs. */
type Subject = { noun: string; name: string; rights: Right[] };
export type Center = { center: string; name: string; subjects: Subject[] };

/** The words of centers, things and what is done with them. */
export type Described = {
  centers: Readonly<Record<CenterName, string>>;
  nouns: Readonly<Record<string, string>>;
  verbs: Readonly<Record<string, string>>;
};

const CODE = /^svc-center-([a-z]+):([a-z_]+):([a-z_]+)$/;
export const ALL = '*';
const CENTERS = ['manager', 'data', 'agentic', 'auth', 'other'] as const;
type CenterName = (typeof CENTERS)[number];

/** Every right below its thing and center, the things in the order of their names; the one for all is left out. */
export function centersOf(
  resources: readonly Resource[],
  { centers, nouns, verbs }: Described,
): Center[] {
  const order = Object.keys(verbs);
  const subjects = new Map<CenterName, Map<string, Subject>>();
  for (const { id, resourceCode: code, enableFlag } of resources) {
    if (code === ALL) continue;
    const [, inCenter = '', noun = code, verb = code] = CODE.exec(code) ?? [];
    const center = CENTERS.find((name) => name === inCenter) ?? 'other';
    const within = subjects.get(center) ?? new Map<string, Subject>();
    const subject = within.get(noun) ?? {
      noun,
      name: nouns[`${center}_${noun}`] ?? nouns[noun] ?? noun,
      rights: [],
    };
    const isDisabled = enableFlag === 'DISABLE';
    subject.rights.push({
      resourceId: id,
      code,
      verb: verbs[`${noun}_${verb}`] ?? verbs[verb] ?? verb,
      isDisabled,
    });
    subjects.set(center, within.set(noun, subject));
  }
  const rank = ({ code }: Right): number => order.indexOf(code.split(':')[2] ?? '');
  return CENTERS.flatMap((center) => {
    const within = subjects.get(center);
    if (!within) return [];
    const sorted = [...within.values()]
      .map((subject) => ({
        ...subject,
        rights: subject.rights.toSorted((a, b) => rank(a) - rank(b)),
      }))
      .toSorted((a, b) => a.name.localeCompare(b.name));
    return [{ center, name: centers[center], subjects: sorted }];
  });
}

/** The rights whose words or code hold `text`, and that `isWanted`; things and centers without any are left out. */
export function narrowedTo(
  centers: readonly Center[],
  text: string,
  isWanted: (right: Right) => boolean,
): Center[] {
  const wanted = text.trim().toLowerCase();
  const isIn = (said: string): boolean => said.toLowerCase().includes(wanted);
  return centers
    .map((center) => ({
      ...center,
      subjects: center.subjects
        .map((subject) => ({
          ...subject,
          rights: subject.rights.filter(
            (right) =>
              isWanted(right) && (isIn(subject.name) || isIn(right.verb) || isIn(right.code)),
          ),
        }))
        .filter(({ rights }) => rights.length > 0),
    }))
    .filter(({ subjects }) => subjects.length > 0);
}
