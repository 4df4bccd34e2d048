import { learnTime } from './clock.ts';
import { GATEWAY_FAILED, Refused, Unreachable } from './failure.ts';
import type { Operations } from './operations.ts';

/** Method and path of an operation of the OpenAPI document, below `/api/v3`. */
export type Operation = keyof Operations;
export type InputOf<O extends Operation> = Operations[O]['input'];
export type AnswerOf<O extends Operation> = Operations[O]['answer'];

const PREFIX = '/api/v3';
/** They check a password themselves: what they refuse says nothing of the session. */
const PASSWORDS: readonly Operation[] = [
  'POST /auth/session/begin',
  'POST /auth/token/change_password',
];
/** Longer than the longest wait that the server grants. */
const PATIENCE_MS = 90_000;

let proof: string | null = null;
let answeredEnded = (): void => {};

let isLost = false;
let answeredAgain = (): void => {};

/** `again` is called when the platform is reached again: by the first answer after a call had none, or the stream. */
export function onReached(again: () => void): void {
  answeredAgain = again;
}

export function reached(): void {
  isLost = false;
  answeredAgain();
}

/** What every call carries beside the cookie, which script cannot read; null without a session. */
export function useProof(given: string | null): void {
  proof = given;
}

/** `ended` is called when an answer says that there is no session any more. */
export function onSessionEnded(ended: () => void): void {
  answeredEnded = ended;
}

/** Headers of every request to the API. */
export const proven = (): Record<string, string> =>
  proof === null ? {} : { 'x-svc-proof': proof };

/**
 * Calls an operation of the API and answers its data. Throws Refused with what the server says, Unreachable when no
 * answer came, and AbortError when `signal` ended the call.
 */
export async function call<O extends Operation>(
  operation: O,
  input: InputOf<O>,
  signal?: AbortSignal,
): Promise<AnswerOf<O>> {
  const [method = '', path = ''] = operation.split(' ');
  const isGet = method === 'GET';
  const query = isGet ? `?${queryOf(input)}` : '';
  return answered(`${PREFIX}${path}${query}`, {
    method,
    ...(isGet ? {} : { body: JSON.stringify(input) }),
    headers: { ...proven(), ...(isGet ? {} : { 'content-type': 'application/json' }) },
    ...(signal && { signal }),
  });
}

/** Sends a file to an operation that takes one; the rest of its input goes into the query. Throws as `call` does. */
export async function upload<O extends Operation>(
  operation: O,
  { file, ...rest }: InputOf<O> & { file: Blob },
  name = 'file',
): Promise<AnswerOf<O>> {
  const [, path = ''] = operation.split(' ');
  const body = new FormData();
  body.set('file', file, name);
  return answered(`${PREFIX}${path}?${queryOf(rest)}`, { method: 'POST', body, headers: proven() });
}

async function answered<T>(url: string, request: RequestInit): Promise<T> {
  const limit = AbortSignal.timeout(PATIENCE_MS);
  const signal = request.signal ? AbortSignal.any([request.signal, limit]) : limit;
  const response = await fetch(url, { ...request, signal }).catch((error: unknown) => {
    if (request.signal?.aborted) throw error;
    isLost = true;
    throw new Unreachable();
  });
  if (response.status >= GATEWAY_FAILED) isLost = true;
  else if (isLost) reached();
  learnTime(response.headers.get('date'));
  const body: unknown = await response.json().catch(() => null);
  if (isEnvelope(body) && response.ok && body.ok) return body.data;
  const refused = isEnvelope(body)
    ? new Refused(response.status, body.code, body.message, body.data)
    : new Refused(response.status, `R${response.status}`, response.statusText, null);
  const isOfSession = !PASSWORDS.some((operation) => url === PREFIX + operation.split(' ')[1]);
  if (response.status === 401 && isOfSession) answeredEnded();
  throw refused;
}

/** Of an answer that the types were generated from: its data is what the document says. */
// oxlint-disable-next-line typescript/no-explicit-any
type Envelope = { ok: boolean; code: string; message: string; data: any };

const isEnvelope = (body: unknown): body is Envelope =>
  typeof body === 'object' && body !== null && 'ok' in body && 'code' in body && 'message' in body;

/** Lists and objects as JSON, as the API reads them from a query; what is not given is left out. */
function queryOf(input: object): string {
  const given = Object.entries(input).flatMap(([name, value]) =>
    value === undefined || value === null
      ? []
      : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]],
  );
  return new URLSearchParams(given).toString();
}

/** Sends a table (text/csv) to an operation that takes one; the rest of its input goes into the query. Throws as `call` does. */
export async function sendTable<O extends Operation>(
  operation: O,
  { csv, ...rest }: InputOf<O> & { csv: string },
): Promise<AnswerOf<O>> {
  const [, path = ''] = operation.split(' ');
  return answered(`${PREFIX}${path}?${queryOf(rest)}`, {
    method: 'POST',
    body: csv,
    headers: { ...proven(), 'content-type': 'text/csv' },
  });
}

/**
 * Gives the answer of an operation to the browser as the file `name`. A plain link would not do: the session counts
 * with its proof alone, which no link carries. Throws as `call` does.
 */
export async function save<O extends Operation>(
  operation: O,
  input: InputOf<O>,
  name: string,
): Promise<void> {
  const [method = '', path = ''] = operation.split(' ');
  const response = await fetch(`${PREFIX}${path}?${queryOf(input)}`, {
    method,
    headers: proven(),
  }).catch(() => {
    throw new Unreachable();
  });
  if (!response.ok)
    throw new Refused(response.status, `R${response.status}`, await messageOf(response), null);
  // The file may be cut off on its way.
  const blob = await response.blob().catch(() => {
    throw new Unreachable();
  });
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), RELEASED_MS);
}

/** Browsers read it after the click. */
const RELEASED_MS = 10_000;

async function messageOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  const isSaid = typeof body === 'object' && body !== null && 'message' in body;
  return isSaid ? String(body.message) : response.statusText;
}
