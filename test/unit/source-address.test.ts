import { describe, expect, it } from 'vitest';

import { signPrincipal } from '../../src/auth/credential/trust.ts';
import { signAddress, verifyAddress } from '../../src/auth/login/client-address.ts';
import { sourceOf } from '../../src/kernel/request/source-address.ts';
import { bareApp } from '../support/world/bare-app.ts';
import { TestClock } from '../support/world/clock.ts';

describe('one client', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['', 'unknown'],
    ['not an address', 'unknown'],
    ['1'.repeat(10_000), 'unknown'],
    [undefined, 'unknown'],
  ])('%s counts as %s', (address, source) => {
    expect(sourceOf(address)).toBe(source);
  });
});

describe('the address a gateway vouches for', () => {
  it('is believed for a minute, as it was signed', async () => {
    const clock = new TestClock();
    const app = bareApp({ clock });
    const said = signAddress(app, '2001:db8::/64');
    expect(verifyAddress(app, said)).toBe('2001:db8::/64');
    await clock.advance(60_000);
    expect(verifyAddress(app, said)).toBe(null);
  });

  it('is not believed changed, unsigned, cut, or signed for something else', () => {
    const app = bareApp({ clock: new TestClock() });
    const said = signAddress(app, '192.0.2.7');
    const [source = '', ends = '', sign = ''] = said.split(' ');
    const { principal, sign: other } = signPrincipal(app, {
      tenantId: '1',
      principalId: '1',
      principalType: 'USER',
      name: 'x',
      via: 'login',
      permissions: new Set(),
    });
    for (const wrong of [
      undefined,
      '',
      `192.0.2.8 ${ends} ${sign}`,
      `${source} ${Number(ends) + 1} ${sign}`,
      `${source} ${ends}`,
      said.slice(0, -1),
      `${said} `,
      `${source} ${ends} ${other}`,
      principal,
      'x'.repeat(100_000),
    ])
      expect(verifyAddress(app, wrong), wrong?.slice(0, 80)).toBe(null);
  });
});
