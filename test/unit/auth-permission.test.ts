import { describe, expect, it } from 'vitest';

import { BUILT_IN_ROLES } from '../../src/auth/permission/built-in-role.ts';
import { allows, demand, demandAll, permissionsOf } from '../../src/auth/permission/permission.ts';
import type { Caller } from '../../src/kernel/app/app.ts';
import { bareApp } from '../support/world/bare-app.ts';
import { TestClock } from '../support/world/clock.ts';

const caller = (...codes: string[]): Caller => ({
  tenantId: '1',
  principalId: '1',
  principalType: 'USER',
  name: 'somebody',
  via: 'login',
  permissions: new Set(codes),
});
const WRITE = 'svc-center-data:point_command:write';

describe('permissions', () => {
  it('allow exactly the code, or everything with the wildcard', () => {
    expect(allows(caller(WRITE), WRITE)).toBe(true);
    expect(allows(caller('*'), WRITE)).toBe(true);
    for (const other of ['svc-center-data:*', `${WRITE}2`, 'point_command:write', '']) {
      expect(allows(caller(other), WRITE), other).toBe(false);
    }
    expect(() => demand(caller(), WRITE)).toThrow('Permission denied');
    expect(() => demandAll(caller(WRITE), new Set([WRITE, '*']))).toThrow('Permission denied');
  });

  it('are the empty set while they cannot be loaded', async () => {
    const app = bareApp({ clock: new TestClock() });
    expect((await permissionsOf(app, '1', '1')).codes).toEqual(new Set());
  });
});

describe('the built-in roles', () => {
  const codes = [
    '*',
    'svc-center-manager:device:list',
    'svc-center-manager:device:add',
    'svc-center-manager:device:delete',
    'svc-center-data:point_command:read',
    WRITE,
    'svc-center-agentic:chat:list',
    'svc-center-agentic:action:get',
    'svc-center-agentic:action:confirm',
    'svc-center-agentic:action:reject',
    'svc-center-auth:service_account:add',
  ];
  const held = (role: string) => codes.filter((code) => BUILT_IN_ROLES[role]?.(code));

  it('hold what their names promise, and no agent confirms', () => {
    expect(held('admin')).toEqual(['*']);
    expect(held('viewer')).toEqual([
      'svc-center-manager:device:list',
      'svc-center-agentic:chat:list',
      'svc-center-agentic:action:get',
    ]);
    expect(held('agent')).toEqual([
      'svc-center-manager:device:list',
      'svc-center-data:point_command:read',
      WRITE,
      'svc-center-agentic:chat:list',
      'svc-center-agentic:action:get',
    ]);
    expect(held('operator')).toEqual([
      'svc-center-manager:device:list',
      'svc-center-manager:device:add',
      'svc-center-data:point_command:read',
      WRITE,
      'svc-center-agentic:chat:list',
      'svc-center-agentic:action:get',
      'svc-center-agentic:action:confirm',
      'svc-center-agentic:action:reject',
    ]);
  });
});
