import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

import { z } from 'zod';

const Claims = z.object({ aud: z.string(), exp: z.number(), sub: z.string().optional() });

/** A message as a browser reads it, with what its push service was asked. */
export type Pushed = {
  browser: string;
  ttl: string;
  urgency: string;
  topic: string;
  claims: z.output<typeof Claims>;
  message: Record<string, unknown>;
};

/** What a browser holds of its subscription, and gives to the platform. */
export type PushedBrowser = {
  endpoint: string;
  p256dh: string;
  auth: string;
};

type Held = { privateKey: Buffer; auth: Buffer };

/** The other end of RFC 8291: reads a body with the keys of the browser, by the steps of its section 3.4. */
export function decrypted(body: Buffer, { privateKey, auth }: Held): string {
  const browser = createECDH('prime256v1');
  browser.setPrivateKey(privateKey);
  const [salt, idLength] = [body.subarray(0, 16), body[20] ?? 0];
  const from = body.subarray(21, 21 + idLength);
  const record = body.subarray(21 + idLength);
  if (record.length > body.readUInt32BE(16)) throw new Error('more than one record');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), from]);
  const secret = Buffer.from(hkdfSync('sha256', browser.computeSecret(from), auth, info, 32));
  const of = (what: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${what}\0`, bytes));
  const decipher = createDecipheriv('aes-128-gcm', of('aes128gcm', 16), of('nonce', 12));
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.lastIndexOf(2);
  if (padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('no delimiter');
  return padded.subarray(0, end).toString();
}

/** Checks the header of RFC 8292; throws where it is not signed by the key that it names. */
export function vapidClaims(authorization: string): { key: string; claims: Pushed['claims'] } {
  const [, head = '', body = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  const point = Buffer.from(key, 'base64url');
  const part = (at: number): string => point.subarray(at, at + 32).toString('base64url');
  const publicKey = createPublicKey({
    format: 'jwk',
    key: { kty: 'EC', crv: 'P-256', x: part(1), y: part(33) },
  });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) throw new Error('not signed by the key');
  return { key, claims: Claims.parse(JSON.parse(Buffer.from(body, 'base64url').toString())) };
}

export type PushService = {
  hostPort: string;
  pushed: Pushed[];
  /** Why requests were refused, as a push service would. */
  wrong: string[];
  /** A new browser; `key`: the platform that it subscribes to. */
  browser(key: string): PushedBrowser;
  /** How the requests for a browser are answered from now on; 201 until then. */
  answer(browser: PushedBrowser, status: number): void;
  stop(): Promise<void>;
};

/** A push service on loopback (RFC 8030) and the browsers behind it: it takes what is signed, and reads it as they do. */
export async function startPushService(): Promise<PushService> {
  const browsers = new Map<string, Held & { key: string; status: number }>();
  const pushed: Pushed[] = [];
  const wrong: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const { url: path = '', headers, method } = request;
      const browser = browsers.get(path);
      if (!browser) return response.writeHead(404).end();
      if (browser.status !== 201) return response.writeHead(browser.status).end('as the test says');
      const { key, claims } = vapidClaims(headers.authorization ?? '');
      const text = (name: string): string => String(headers[name] ?? '');
      if (method !== 'POST' || text('content-encoding') !== 'aes128gcm' || body.length > 4_096)
        throw new Error('not a push message');
      if (key !== browser.key) return response.writeHead(403).end();
      pushed.push({
        browser: path,
        ttl: text('ttl'),
        urgency: text('urgency'),
        topic: text('topic'),
        claims,
        message: z.record(z.string(), z.unknown()).parse(JSON.parse(decrypted(body, browser))),
      });
      return response.writeHead(201, { location: `${path}/message` }).end();
    })().catch((error: unknown) => {
      wrong.push(String(error));
      response.writeHead(400).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const hostPort = `127.0.0.1:${address.port}`;
  return {
    hostPort,
    pushed,
    wrong,
    browser(key) {
      const pair = createECDH('prime256v1');
      pair.generateKeys();
      const auth = randomBytes(16);
      const path = `/send/${randomBytes(16).toString('base64url')}`;
      browsers.set(path, { privateKey: pair.getPrivateKey(), auth, key, status: 201 });
      return {
        endpoint: `http://${hostPort}${path}`,
        p256dh: pair.getPublicKey().toString('base64url'),
        auth: auth.toString('base64url'),
      };
    },
    answer({ endpoint }, status) {
      const browser = browsers.get(new URL(endpoint).pathname);
      if (!browser) throw new Error('no such browser');
      browser.status = status;
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
