import { MAX_TRACED_VALUES } from '../../../src/bus/topic/trace-topic.ts';
import { storable } from '../../../src/kernel/input/text.ts';
import { codeText } from '../../coap/message/message.ts';
import type { TracedExchange } from '../../sdk/driver.ts';
import { readCbor } from '../codec/cbor-reader.ts';
import { CodecError, ContentFormat, utf8 } from '../codec/codec.ts';
import type { Item } from '../codec/item.ts';
import { readJson } from '../codec/json-reader.ts';
import { valuesIn } from '../format/decode-leaves.ts';
import type { TypeAt } from '../format/leaf.ts';
import type { StoredExchange, StoredPayload } from './traces.ts';

const MAX_TEXT = 1000;
const MAX_VALUE = 250;
const MAX_QUERY = 500;
/** src/bus/topic/trace-topic.ts */
const MAX_PATH = 128;
/** Bytes of a value that are named. */
const MAX_BYTES = 32;

const FORMAT_NAMES = new Map<number, string>(
  Object.entries(ContentFormat).map(([name, number]) => [number, name.replace('_', '-')]),
);
const { TEXT, LINK, OPAQUE, SENML_JSON, SENML_CBOR, CBOR, TLV } = ContentFormat;

/**
 * Resources with a secret in objects of the public registry, by object: Security and OSCORE whole, the secret of an APN,
 * keys and phrases of WLAN.
 */
const SECRET: ReadonlyMap<number, ReadonlySet<number> | 'all'> = new Map<
  number,
  ReadonlySet<number> | 'all'
>([
  [0, 'all'],
  [11, new Set([6])],
  [12, new Set([17, 18, 21, 22, 23, 24, 25, 28])],
  [21, 'all'],
]);
const HIDDEN = 'hidden: it may be a secret';

/** An exchange as people read it; `typeAt` says the types of resources that a format leaves open. */
export function decoded(stored: StoredExchange, typeAt: TypeAt): TracedExchange {
  const { at, ms, from, method, query, code, failure, sent, repeated, times, peer } = stored;
  const ids = idsOf(stored);
  return {
    at,
    ms,
    from,
    operation: from === 'DEVICE' ? ofDevice(stored) : ofPlatform(stored),
    method,
    path: pathOf(stored),
    query: cleaned(query.join('&'), MAX_QUERY),
    request: stored.request && contentOf(stored.request, stored, { ids, typeAt, isRequest: true }),
    code: code === null ? '' : codeText(code),
    answer: stored.answer && contentOf(stored.answer, stored, { ids, typeAt, isRequest: false }),
    failure,
    sent,
    repeated,
    times,
    address: peer.address.includes(':')
      ? `[${peer.address}]:${peer.port}`
      : `${peer.address}:${peer.port}`,
    secure: peer.proven !== undefined,
  };
}

/** The ids of the path; none for one of the server, as /rd. */
const idsOf = ({ path }: StoredExchange): number[] =>
  path.every((part) => /^\d{1,5}$/.test(part)) ? path.map(Number) : [];

/** A location is a secret of its device. */
function pathOf({ path, from, method }: StoredExchange): string {
  const [root = ''] = path;
  const known =
    from === 'DEVICE' && method !== '' ? [root, ...(path.length > 1 ? ['…'] : [])] : path;
  return cleaned(`/${known.join('/')}`, MAX_PATH);
}

const OF_SERVER: Readonly<Record<string, string>> = { dp: 'SEND', bs: 'BOOTSTRAP' };

/** What a device does at the server (OMA Core 1.1, 6.1, 6.2 and 6.4). */
function ofDevice({ method, path }: StoredExchange): string {
  if (method === '') return 'NOTIFY';
  const [root = ''] = path;
  const ofServer = OF_SERVER[root];
  if (ofServer !== undefined) return ofServer;
  if (method === 'DELETE') return 'DEREGISTER';
  return path.length > 1 ? 'UPDATE' : 'REGISTER';
}

/** What the server does at a device (OMA Core 1.1, 6.3). */
function ofPlatform({ method, path, accept, observe, request, query }: StoredExchange): string {
  const composite = method === 'FETCH' || method === 'IPATCH' ? '_COMPOSITE' : '';
  switch (method) {
    case 'GET':
    case 'FETCH':
      if (observe !== null) return `${observe === 0 ? 'OBSERVE' : 'CANCEL'}${composite}`;
      return accept === LINK ? 'DISCOVER' : `READ${composite}`;
    case 'PUT':
      return request === null && query.length > 0 ? 'WRITE_ATTRIBUTES' : 'WRITE';
    case 'POST':
      if (path[0] === 'bs') return 'BOOTSTRAP_FINISH';
      return path.length > 2 ? 'EXECUTE' : path.length === 1 ? 'CREATE' : 'UPDATE';
    case 'DELETE':
      return 'DELETE';
    default:
      return `WRITE${composite}`;
  }
}

type Content = NonNullable<TracedExchange['request']>;
type About = { ids: readonly number[]; typeAt: TypeAt; isRequest: boolean };

function contentOf(
  { format, bytes, content }: StoredPayload,
  { method, path, code }: Pick<StoredExchange, 'method' | 'path' | 'code'>,
  { ids, typeAt, isRequest }: About,
): Content {
  const empty = { format: nameOf(format), bytes, values: [], leftOut: 0, text: '', note: '' };
  if (isSecret(ids)) return { ...empty, note: HIDDEN };
  if (content === null) return { ...empty, note: 'too long to be stored' };
  const payload = Buffer.from(content, 'latin1');
  const known = format ?? TEXT;
  try {
    // Of an error, or of a request for names, it holds no values.
    if (!isRequest && code !== null && code >> 5 !== 2) return { ...empty, text: textOf(payload) };
    if (isRequest && method === 'FETCH') return { ...empty, text: namesIn(payload, known) };
    const isOfServer = path[0] === 'rd' || path[0] === 'bs';
    if (known === LINK || isOfServer || isArguments(method, ids, isRequest))
      return { ...empty, text: textOf(payload) };
    const isOne = known === TEXT || known === OPAQUE || known === CBOR;
    if (isOne && ids.length < 3) return { ...empty, text: textOf(payload) };
    const response = { code: 0, contentFormat: known, observe: null, payload };
    const values = valuesIn(response, ids, typeAt);
    return {
      ...empty,
      values: values.slice(0, MAX_TRACED_VALUES).map(([at, value]) => {
        const own = at.split('/').slice(1).map(Number);
        if (isSecret(own)) return { path: at, value: HIDDEN };
        const isUntyped = known === TLV && typeAt(own) === null && value.length <= MAX_VALUE;
        return { path: at, value: cleaned(value, MAX_VALUE), ...(isUntyped && { untyped: true }) };
      }),
      leftOut: Math.max(0, values.length - MAX_TRACED_VALUES),
    };
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    // Not the bytes: a secret could be among them.
    return { ...empty, note: `not understood: ${error.message}`.slice(0, 200) };
  }
}

const isArguments = (method: string, ids: readonly number[], isRequest: boolean): boolean =>
  isRequest && method === 'POST' && ids.length > 2;

/** Whether a path is that of a secret, or leads to one alone. */
function isSecret([object, , resource]: readonly number[]): boolean {
  const secrets = object === undefined ? undefined : SECRET.get(object);
  if (secrets === undefined) return false;
  return secrets === 'all' || (resource !== undefined && secrets.has(resource));
}

const nameOf = (format: number | null): string =>
  format === null ? '' : (FORMAT_NAMES.get(format) ?? `Content-Format ${format}`);

/** Text, or the first bytes of what is none. */
function textOf(payload: Buffer): string {
  const text = utf8(payload);
  if (text !== null) return cleaned(text, MAX_TEXT);
  const more = payload.length > MAX_BYTES ? '…' : '';
  return `0x${payload.subarray(0, MAX_BYTES).toString('hex')}${more}`;
}

/** The names that a composite request asks for. */
function namesIn(payload: Buffer, format: number): string {
  const pack =
    format === SENML_CBOR ? readCbor(payload) : format === SENML_JSON ? readJson(payload) : null;
  const records: readonly Item[] = Array.isArray(pack) ? pack : [];
  const names = records.flatMap((record) => {
    if (!(record instanceof Map)) return [];
    const base = record.get('bn') ?? record.get(-2) ?? '';
    const name = record.get('n') ?? record.get(0) ?? '';
    return typeof base === 'string' && typeof name === 'string' ? [base + name] : [];
  });
  return cleaned(names.join(' '), MAX_TEXT);
}

/** Controls and direction marks of a device change no line in which they are read. */
const cleaned = (text: string, most: number): string => {
  const visible = storable(text).replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\u{FFFD}');
  return visible.length > most ? `${visible.slice(0, most - 1).toWellFormed()}…` : visible;
};
