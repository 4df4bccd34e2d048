import { lines, plain } from './plain.ts';

/** What a client gets, in sections by what it asked. */
export type Artefact = Map<string, string>;

const HEADERS = [
  'content-type',
  'location',
  'retry-after',
  'www-authenticate',
  'allow',
  'content-security-policy',
];
const LIMIT_MS = 20_000;

/** Status, the headers that clients go by, and the body. */
export async function answered(response: Response): Promise<string> {
  const heads = HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  return [response.status, ...heads, lines(await response.text())].join('\n');
}

/** Adds a section; one with the same name gets a number. */
export function note(artefact: Artefact, name: string, text: string): void {
  let section = name;
  for (let n = 2; artefact.has(section); n += 1) section = `${name} (${n})`;
  artefact.set(section, plain(text));
}

/** Asks and notes the answer. */
export async function ask(
  artefact: Artefact,
  name: string,
  url: string,
  {
    body,
    headers = {},
    method = body === undefined ? 'GET' : 'POST',
  }: {
    body?: unknown;
    headers?: Record<string, string>;
    method?: string;
  } = {},
): Promise<void> {
  const text = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(LIMIT_MS),
  }).then(
    async (response) => {
      // A feed goes on for as long as it is read.
      if (method === 'GET' && response.headers.get('content-type')?.includes('event-stream')) {
        await response.body?.cancel();
        return `${response.status} a stream`;
      }
      return answered(response);
    },
    (error: unknown) => String(error),
  );
  note(artefact, name, text);
}
