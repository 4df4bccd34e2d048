import { randomBytes } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { seal, unseal } from '../../src/kernel/secret.ts';

describe('a sealed secret', () => {
  const key = randomBytes(32);
  const place = { table: 'svc_model_provider', tenantId: '1', id: '7' };

  it('opens at its own place only', () => {
    const stored = seal(key, place, 'sk-secret');
    expect(stored).not.toContain('sk-secret');
    expect(unseal(key, place, stored)).toBe('sk-secret');
    expect(unseal(key, { ...place, tenantId: '2' }, stored)).toBeNull();
    expect(unseal(key, { ...place, id: '8' }, stored)).toBeNull();
    expect(unseal(key, { ...place, table: 'svc_notify_channel' }, stored)).toBeNull();
    expect(unseal(randomBytes(32), place, stored)).toBeNull();
    expect(seal(key, place, 'sk-secret')).not.toBe(stored);
  });

  it('is null when damaged, never an error', () => {
    const [, bytes = ''] = seal(key, place, 'sk-secret').split('enc:v1:');
    const damaged = `enc:v1:${bytes.startsWith('A') ? 'B' : 'A'}${bytes.slice(1)}`;
    for (const text of ['', 'enc:v1:', 'enc:v1:AAAA', 'sk-plain', damaged])
      expect(unseal(key, place, text)).toBeNull();
  });
});
