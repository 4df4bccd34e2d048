import { call } from './call.ts';
import { beforeEnd } from './session.ts';

/** Where the gateway serves the worker, and the pages for which the worker is. */
const WORKER = '/console/push-worker.js';
const SCOPE = '/console';
/** So that no logout waits for a push service that does not answer. */
const PATIENCE_MS = 5_000;

type Policy = { createScriptURL(url: string): string };
type Policies = { createPolicy(name: string, rules: Policy): Policy };
const hasPolicies = (given: object): given is { trustedTypes: Policies } =>
  'trustedTypes' in given && typeof given.trustedTypes === 'object';

const scope: object = globalThis;
// The one script that this document may load by its address (`POLICY` in src/console/site.ts).
const policy = hasPolicies(scope)
  ? scope.trustedTypes.createPolicy('svc-worker', { createScriptURL: () => WORKER })
  : null;

/** Whether this browser can be pushed to: HTTPS or localhost, and on some phones an installed console. */
export const canPush = (): boolean =>
  isSecureContext && 'serviceWorker' in navigator && 'PushManager' in globalThis;

async function subscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(SCOPE);
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** As the platform names it: the first 32 hexadecimal digits of the SHA-256 of its endpoint. */
async function idOf({ endpoint }: PushSubscription): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint));
  return [...new Uint8Array(digest)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .slice(0, 32);
}

/** The id of this browser where it has a subscription, known to the platform or not; null without one. */
export async function ownId(): Promise<string | null> {
  if (!canPush()) return null;
  const own = await subscription();
  return own && idOf(own);
}

/**
 * Subscribes this browser, with the key of the platform; false where the person or the browser refuses. Throws as
 * `call` does.
 */
export async function pushToBrowser(publicKey: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  await navigator.serviceWorker.register(policy?.createScriptURL(WORKER) ?? WORKER, {
    scope: SCOPE,
  });
  const { pushManager } = await navigator.serviceWorker.ready;
  // One for another key, of a platform that was here before, is of no use.
  await (await pushManager.getSubscription())?.unsubscribe();
  const made = await pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
    .catch(() => null);
  const { endpoint, keys: { p256dh, auth } = {} } = made?.toJSON() ?? {};
  if (endpoint === undefined || p256dh === undefined || auth === undefined) return false;
  await call('POST /data/notify/push/subscribe', {
    endpoint,
    p256dh,
    auth,
    browserName: browserName(navigator.userAgent),
  });
  return true;
}

/** Nothing is pushed to this browser any more: another person may use it. Ends after 5 s at the latest; never rejects. */
export const pushNoMore = (): Promise<void> =>
  Promise.race([unsubscribed(), new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS))]);

async function unsubscribed(): Promise<void> {
  try {
    const own = canPush() ? await subscription() : null;
    if (!own) return;
    const browser = await idOf(own);
    await Promise.all([
      own.unsubscribe(),
      call('POST /data/notify/push/unsubscribe', { browser }, AbortSignal.timeout(PATIENCE_MS)),
    ]);
  } catch {
    // A push service that no longer knows it says so to the platform.
  }
}

const BROWSERS = [
  ['Edg', 'Edge'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'];

/** By which a person tells two of them apart. */
function browserName(agent: string): string {
  const browser = BROWSERS.find(([mark]) => agent.includes(`${mark}/`))?.[1] ?? 'Browser';
  const system = SYSTEMS.find((name) => agent.includes(name));
  return system === undefined ? browser : `${browser}, ${system}`;
}

beforeEnd(pushNoMore);
