import { isLoopbackName } from '../request/loopback.ts';
import { isRepetition } from '../secret/repetition.ts';

const MIN_LENGTH = 32;
/** Of 16 random bytes in hex fewer are as good as impossible. */
const MIN_KINDS = 8;

/** Why a shared secret could be guessed; null when it has the length and the variety of random text. */
export function whyWeak(secret: string): string | null {
  if (secret.length < MIN_LENGTH) return `has fewer than ${MIN_LENGTH} characters`;
  return isRepetition(secret) || new Set(secret).size < MIN_KINDS ? 'repeats few characters' : null;
}

type Places = { baseUrl: string; amqpUrl: string | null; serves: boolean };

/** What crosses a network in clear with these addresses, one sentence each; no address is repeated. */
export function unsafeOf({ baseUrl, amqpUrl, serves }: Places): string[] {
  const isClear = (url: string | null, scheme: string): boolean =>
    url !== null && url.startsWith(`${scheme}:`) && !isLoopbackName(new URL(url).hostname);
  const said: string[] = [];
  if (serves && isClear(baseUrl, 'http'))
    said.push(
      'SVC_BASE_URL is http: passwords, keys and cookies cross the network in clear; put TLS in front and name its https address',
    );
  if (isClear(amqpUrl, 'amqp'))
    said.push(
      'AMQP_URL is amqp to another host: values, commands and keys of devices cross the network in clear; amqps encrypts them',
    );
  return said;
}
