import type { CoapResponse, OutgoingRequest } from '../../coap/contract.ts';
import { Code, codeText } from '../../coap/message/message.ts';
import { ContentFormat, utf8 } from '../codec/codec.ts';
import { parseLinks } from '../codec/link-format.ts';
import { encoders } from '../format/encode-leaves.ts';
import type { Leaf } from '../format/leaf.ts';
import { type Account, securityOf, serverOf } from './account.ts';

/** One request to the device under bootstrap. Throws `CoapFailure`. */
export type Ask = (request: Omit<OutgoingRequest, 'deadline'>) => Promise<CoapResponse>;

const { TLV, SENML_CBOR, SENML_JSON, LINK } = ContentFormat;
const SERVER_INSTANCE = 0;
const MAX_INSTANCE = 65_534;

/**
 * Gives the device its account, and ends the bootstrap (OMA Core 1.1, 6.1.7): what it had of other servers is deleted,
 * the Security and Server instances are written, Bootstrap-Finish makes the device check and use them. Answers what the
 * device refused, as text for people; null when it took all. Throws `CoapFailure` for a device that does not answer.
 */
export async function giveAccount(
  ask: Ask,
  account: Account,
  preferred: number | null,
): Promise<string | null> {
  const formats = [...new Set([preferred ?? TLV, TLV, SENML_CBOR, SENML_JSON])];
  for (const object of ['0', '1']) {
    const { code } = await ask({ method: 'DELETE', path: [object] });
    if (code !== Code.DELETED && code !== Code.NOT_FOUND)
      return refusal(`to delete /${object}`, code);
  }
  const instance = await freeInstance(ask);
  const steps: [string[], Leaf[]][] = [
    [['0', String(instance)], securityOf(account, instance)],
    [['1', String(SERVER_INSTANCE)], serverOf(account, SERVER_INSTANCE)],
  ];
  for (const [path, leaves] of steps) {
    const code = await write(ask, { path, leaves, formats });
    if (code !== Code.CHANGED) return refusal(`/${path.join('/')}`, code);
  }
  const { code } = await ask({ method: 'POST', path: ['bs'] });
  if (code === Code.CHANGED) return null;
  return code === Code.NOT_ACCEPTABLE
    ? 'the device found what it was given inconsistent'
    : refusal('Bootstrap-Finish', code);
}

/** The first instance of the Security object beside the one of the bootstrap itself, which the device does not delete. */
async function freeInstance(ask: Ask): Promise<number> {
  const { code, payload } = await ask({ method: 'GET', path: ['0'], accept: LINK });
  const links = code === Code.CONTENT ? parseLinks(utf8(payload) ?? '') : null;
  const ids = links?.flatMap(({ target }) => /^\/0\/(\d{1,5})$/.exec(target)?.[1] ?? []);
  // A device of 1.0 has no Bootstrap-Discover; the instance of the bootstrap is its first.
  const taken = new Set(ids?.length ? ids.map(Number) : [0]);
  for (let instance = 0; instance < MAX_INSTANCE; instance += 1)
    if (!taken.has(instance)) return instance;
  return MAX_INSTANCE;
}

/** Writes an instance in the first format that the device takes; answers the code. */
async function write(
  ask: Ask,
  {
    path,
    leaves,
    formats,
  }: { path: string[]; leaves: readonly Leaf[]; formats: readonly number[] },
): Promise<number> {
  let code: number = Code.UNSUPPORTED_CONTENT_FORMAT;
  for (const contentFormat of formats) {
    const payload = encoders.get(contentFormat)?.(leaves, 2);
    if (!payload) continue;
    ({ code } = await ask({ method: 'PUT', path, contentFormat, payload }));
    if (code !== Code.UNSUPPORTED_CONTENT_FORMAT) break;
  }
  return code;
}

const refusal = (what: string, code: number): string =>
  `the device refused ${what} with ${codeText(code)}`;
