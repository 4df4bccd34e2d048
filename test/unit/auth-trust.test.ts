import { createHmac } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { signPrincipal, verifyPrincipal } from '../../src/auth/credential/trust.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { bareApp } from '../support/world/bare-app.ts';
import { TestClock } from '../support/world/clock.ts';

const caller: Caller = {
  tenantId: '7',
  principalId: '9',
  principalType: 'USER',
  name: 'Zoë 管理员',
  via: 'login',
  permissions: new Set(['*']),
};

const withSecret = (secret: string | null, clock = new TestClock()): App =>
  bareApp({ clock, hmacSecret: secret });
const hmac = (secret: string, text: string) =>
  createHmac('sha256', secret).update(text).digest('hex');
const headersOf = (app: App) => {
  const { principal, sign } = signPrincipal(app, caller);
  return { principal, sign: sign ?? undefined };
};
const refused = expect.objectContaining({ status: 401 });
const attempt = (run: () => unknown) => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};

describe('the principal header, signed', () => {
  it('carries who calls, in ASCII, and its HMAC-SHA256 in lower-case hex', () => {
    const app = withSecret('shared');
    const { principal, sign } = signPrincipal(app, caller);
    expect(sign).toBe(hmac('shared', principal));
    expect(principal).toMatch(/^[\x20-\x7e]+$/);
    const { iat, exp } = JSON.parse(principal);
    expect(exp - iat).toBe(60_000);
    expect(verifyPrincipal(app, headersOf(app))).toMatchObject({
      tenantId: '7',
      principalId: '9',
      principalType: 'USER',
      principalName: 'Zoë 管理员',
      displayName: 'Zoë 管理员',
      via: 'login',
    });
  });

  it('means an anonymous call when it is missing', () => {
    expect(verifyPrincipal(withSecret('shared'), {})).toBeNull();
    expect(verifyPrincipal(withSecret(null), { principal: '' })).toBeNull();
    expect(verifyPrincipal(withSecret('shared'), { sign: 'x' })).toBeNull();
  });

  it('is refused without, with a wrong, a cut or an upper-case signature', () => {
    const app = withSecret('shared');
    const { principal, sign = '' } = headersOf(app);
    const wrong = [
      undefined,
      '',
      'x',
      sign.slice(1),
      `${sign}00`,
      sign.toUpperCase(),
      hmac('other', principal),
      'ü'.repeat(64),
    ];
    for (const given of wrong) {
      expect(attempt(() => verifyPrincipal(app, { principal, sign: given }))).toEqual(refused);
    }
  });

  it('is refused when a single character was changed', () => {
    const app = withSecret('shared');
    const { principal, sign } = headersOf(app);
    const tampered = principal.replace('"tenantId":"7"', '"tenantId":"8"');
    expect(tampered).not.toBe(principal);
    expect(attempt(() => verifyPrincipal(app, { principal: tampered, sign }))).toEqual(refused);
  });

  it('ends after 60 seconds', async () => {
    const clock = new TestClock();
    const app = withSecret('shared', clock);
    const headers = headersOf(app);
    await clock.advance(59_999);
    expect(verifyPrincipal(app, headers)?.principalId).toBe('9');
    await clock.advance(1);
    expect(attempt(() => verifyPrincipal(app, headers))).toEqual(refused);
  });

  it('is refused without ids, for another audience, and when it is not JSON', () => {
    const app = withSecret('shared');
    const texts = [
      { principalId: '9' },
      { tenantId: '7' },
      { tenantId: '0', principalId: '9' },
      { tenantId: '7', principalId: '9', aud: 'somebody-else' },
      [],
      null,
      'text',
    ].map((value) => JSON.stringify(value));
    for (const principal of [...texts, '{', '\0', 'x'.repeat(10_000)]) {
      const headers = { principal, sign: hmac('shared', principal) };
      expect(
        attempt(() => verifyPrincipal(app, headers)),
        principal,
      ).toEqual(refused);
    }
  });

  it('believes another signer that knows the secret, but not that it is a human’s login', () => {
    const principal = JSON.stringify({ tenantId: 7, principalId: 9, extra: true });
    const headers = { principal, sign: hmac('shared', principal) };
    expect(verifyPrincipal(withSecret('shared'), headers)).toMatchObject({
      tenantId: '7',
      principalId: '9',
      via: 'system',
    });
  });
});

describe('the principal header with signing off', () => {
  it('is believed as it stands, and carries no signature', () => {
    const app = withSecret(null);
    const { principal, sign } = signPrincipal(app, caller);
    expect(sign).toBeNull();
    expect(verifyPrincipal(app, { principal })).toMatchObject({ principalId: '9' });
    expect(verifyPrincipal(app, { principal, sign: 'nonsense' })).toMatchObject({ tenantId: '7' });
  });

  it('still needs both ids', () => {
    const principal = JSON.stringify({ tenantId: '7' });
    expect(attempt(() => verifyPrincipal(withSecret(null), { principal }))).toEqual(refused);
  });
});
