import { createHmac } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { signToken, verifyToken } from '../../src/auth/credential/token.ts';
import { bareApp } from '../support/world/bare-app.ts';
import { TestClock } from '../support/world/clock.ts';

const HOUR_MS = 3_600_000;
const SALT = 'a-salt';

function setUp() {
  const clock = new TestClock();
  const app = bareApp({ clock });
  const subject = { tenantId: '7', principalId: '9', issuedMs: clock.now() };
  return { clock, app, subject, token: signToken(app, SALT, subject) };
}
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('the login token', () => {
  it('is an HS256 JWT under a key derived from the server’s key and the salt', () => {
    const { app, token, subject } = setUp();
    const [header, payload, signature] = token.split('.');
    const key = createHmac('sha256', app.keys.loginToken).update(`svc-token-v1${SALT}`).digest();
    const mac = createHmac('sha256', key).update(`${header}.${payload}`).digest('base64url');
    expect(signature).toBe(mac);
    expect(verifyToken(app, SALT, token)).toEqual({
      tenantId: '7',
      principalId: '9',
      issuedMs: subject.issuedMs,
      endsMs: subject.issuedMs + 12 * HOUR_MS,
    });
  });

  it('ends after twelve hours, and one from the future is not believed', async () => {
    const { app, clock, token, subject } = setUp();
    await clock.advance(12 * HOUR_MS - 1);
    expect(verifyToken(app, SALT, token).tenantId).toBe('7');
    await clock.advance(1);
    expect(() => verifyToken(app, SALT, token)).toThrow('No available authentication');
    const early = signToken(app, SALT, { ...subject, issuedMs: clock.now() + 60_001 });
    expect(() => verifyToken(app, SALT, early)).toThrow('No available authentication');
  });

  it('is refused for any change of header, claims, salt or signature', () => {
    const { app, token } = setUp();
    const [header = '', payload = '', signature = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const sign = (head: string, body: string) => {
      const key = createHmac('sha256', app.keys.loginToken).update(`svc-token-v1${SALT}`).digest();
      const mac = createHmac('sha256', key).update(`${head}.${body}`).digest('base64url');
      return `${head}.${body}.${mac}`;
    };
    const { exp: _exp, ...endless } = claims;
    const { iat: _iat, ...ageless } = claims;
    const forged = [
      `${encode({ alg: 'none', typ: 'svc-login+jwt' })}.${payload}.`,
      sign(encode({ alg: 'HS256', typ: 'JWT' }), payload),
      sign(encode({ alg: 'HS256', typ: 'svc-login+jwt', kid: '1' }), payload),
      sign(encode({ alg: 'HS512', typ: 'svc-login+jwt' }), payload),
      sign(header, encode(endless)),
      sign(header, encode(ageless)),
      sign(header, encode({ ...claims, aud: 'else' })),
      sign(header, encode({ ...claims, tenant_id: 'x' })),
      sign(header, encode({ ...claims, more: 1 })),
      sign(header, Buffer.from('{').toString('base64url')),
      `${header}.${payload}.${signature.slice(1)}`,
      `${header}.${payload}`,
      `${token}.`,
      '',
      '..',
      `${header}.${'x'.repeat(3_000)}.${signature}`,
    ];
    for (const text of forged) {
      expect(() => verifyToken(app, SALT, text), text).toThrow('No available authentication');
    }
    for (const salt of ['', 'a-sal', 'a-salt ', 'x'.repeat(65)]) {
      expect(() => verifyToken(app, salt, token), salt).toThrow('No available authentication');
    }
    expect(verifyToken(app, SALT, sign(header, payload)).principalId).toBe('9');
  });

  it('does not run salt and prefix into each other’s keys', () => {
    const { app, subject } = setUp();
    const token = signToken(app, 'x', subject);
    expect(() => verifyToken(app, '1x', token)).toThrow('No available authentication');
  });
});
