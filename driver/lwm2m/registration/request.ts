import { Code } from '../../coap/message/message.ts';
import { ContentFormat, utf8 } from '../codec/codec.ts';
import { type Link, parseLinks } from '../codec/link-format.ts';

/** Parameters of a Register or Update; null for one that was not sent. */
export type RegistrationParameters = {
  endpoint: string | null;
  lifetimeS: number | null;
  version: string | null;
  /** Null when neither the binding nor queue mode was sent. */
  queueMode: boolean | null;
  links: Link[] | null;
};

/** A device may name the patch of its version too (leshan#1207). */
const VERSION = /^(1\.[012])(?:\.\d{1,3})?$/;
/** Values of `Q`, which has none, that mean its absence (OMA#490). */
const NOT = /^(?:false|0)$/i;
/** Modes (OMA Core 1.1, 6.2.1.2; OMA TS 1.0, 5.3.1.1), UDP among them. */
const BINDING = /^(?=.*U)[UMHTSNQ]{1,8}$/;
const MAX_ENDPOINT = 255;
const MAX_LIFETIME_S = 0xff_ff_ff_ff;

export const nameIn = (query: readonly string[]): string | undefined =>
  query.find((item) => item.startsWith('ep='))?.slice('ep='.length);

/** The parameters of a Register or Update (OMA Core 1.1, 6.2), or the CoAP code that refuses them. */
export function parseRegistration(request: {
  query: string[];
  contentFormat: number | null;
  payload: Buffer;
}): RegistrationParameters | number {
  const seen = parametersIn(request.query);
  if (!seen) return Code.BAD_REQUEST;
  const endpoint = seen.get('ep') ?? null;
  if (endpoint !== null && (endpoint === '' || endpoint.length > MAX_ENDPOINT))
    return Code.BAD_REQUEST;
  const lifetime = seen.get('lt');
  const lifetimeS = lifetime === undefined ? null : Number(lifetime);
  if (lifetime !== undefined && !/^\d{1,10}$/.test(lifetime)) return Code.BAD_REQUEST;
  if (lifetimeS !== null && lifetimeS > MAX_LIFETIME_S) return Code.BAD_REQUEST;
  const binding = seen.get('b');
  // Without UDP the device asks for a transport that is not served: taken, it would be out of reach.
  if (binding !== undefined && !BINDING.test(binding)) return Code.BAD_REQUEST;
  const version = versionIn(seen.get('lwm2m'));
  if (version === undefined) return Code.PRECONDITION_FAILED;
  const links = linksOf(request);
  if (typeof links === 'number') return links;
  return { endpoint, lifetimeS, version, queueMode: queueModeIn(seen), links };
}

/** Null where the device says none, undefined for one that is not served. */
function versionIn(named: string | undefined): string | null | undefined {
  return named === undefined ? null : VERSION.exec(named)?.[1];
}

/** `Q` is a parameter in 1.1, part of the binding in 1.0. */
function queueModeIn(seen: ReadonlyMap<string, string>): boolean | null {
  const [q, binding] = [seen.get('Q'), seen.get('b')];
  const isQueued = q === undefined ? null : !NOT.test(q);
  return isQueued || (binding?.includes('Q') ?? isQueued);
}

/** By name; null where one comes twice. */
function parametersIn(query: readonly string[]): Map<string, string> | null {
  const seen = new Map<string, string>();
  for (const item of query) {
    const [name = ''] = item.split('=', 1);
    if (seen.has(name)) return null;
    seen.set(name, item.slice(name.length + 1));
  }
  return seen;
}

function linksOf({
  contentFormat,
  payload,
}: {
  contentFormat: number | null;
  payload: Buffer;
}): Link[] | null | number {
  if (payload.length === 0) return null;
  if (contentFormat !== null && contentFormat !== ContentFormat.LINK)
    return Code.UNSUPPORTED_CONTENT_FORMAT;
  const text = utf8(payload);
  const links = text === null ? null : parseLinks(text);
  return links ?? Code.BAD_REQUEST;
}
