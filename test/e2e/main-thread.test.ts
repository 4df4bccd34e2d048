import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { login, request, type Session } from '../support/people/session.ts';
import { mainThread } from '../support/runs/main-thread.ts';
import { type FreshDatabase, freshDatabase } from '../support/world/database.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { type Server, startServer } from '../support/world/server.ts';

const OWN_PASSWORD = 'a password of my own';

/**
 * docs/specification/service.md, Main thread, as a newcomer walks it: the README's steps, the device its own
 * process.
 */
describe('the main thread', () => {
  let data: FreshDatabase;
  let server: Server;
  let admin: Session;

  const start = (): Promise<Server> => {
    const { SVC_ADMIN_PASSWORD: _none, ...environment } = testEnvironment;
    return startServer({ ...environment, ...data.environment, SVC_DEMO: 'on' });
  };
  beforeAll(async () => {
    data = await freshDatabase('empty');
    server = await start();
  });
  afterAll(async () => {
    await server.kill();
    await data.remove();
  });

  it('says where to go and gives the first password once', () => {
    const text = server.output.join('\n');
    for (const part of [server.base, `${server.base}/mcp`, 'default', 'admin', 'dev-1'])
      expect(text).toContain(part);
    expect(server.password).toMatch(/^\S{12,}$/);
  });

  it('demands a new password before the first login', async () => {
    const body = { tenant: 'default', name: 'admin' };
    const { data: salt } = (await request(server.base, 'POST', '/api/v3/auth/token/salt', { body }))
      .body;
    const attempt = { ...body, salt, password: server.password };
    const first = await request(server.base, 'POST', '/api/v3/auth/token/generate', {
      body: attempt,
    });
    expect(first.body).toMatchObject({ ok: false, code: 'R4031' });
    const change = await request(server.base, 'POST', '/api/v3/auth/token/change_password', {
      body: { ...attempt, newPassword: OWN_PASSWORD },
    });
    expect(change.body).toMatchObject({ ok: true });
    admin = await login(server.base, 'default', 'admin', OWN_PASSWORD);
  });

  const walked = mainThread(() => ({
    base: server.base,
    admin,
    deviceLine: (pattern) => server.line(pattern),
  }));

  it('still has everything after a stop and a start', async () => {
    expect(await server.stop()).toBe(0);
    server = await start();
    expect(server.password).toBeNull();
    admin = await login(server.base, 'default', 'admin', OWN_PASSWORD);
    expect(await walked.writeReceipt()).toMatchObject({
      status: 'SUCCESS',
      verification: 'VERIFIED',
      responseValue: '21',
    });
    expect(await walked.latestSetPoint()).toMatchObject({ calValue: '21' });
    await server.line(/dev-1 registered/);
    expect(await walked.readTemperature()).toMatchObject({ status: 'SUCCESS' });
  });
});
