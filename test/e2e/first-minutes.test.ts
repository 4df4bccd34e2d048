import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type FreshDatabase, freshDatabase } from '../support/world/database.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { type Process, startProcess } from '../support/world/process.ts';

const { SVC_ADMIN_PASSWORD: _none, ...unattended } = testEnvironment;
const PASSWORD = /^ {2}Password {2}(\S+) {3}\(generated/;

let data: FreshDatabase;
let running: Process[];
beforeEach(async () => {
  data = await freshDatabase('empty');
  running = [];
});
afterEach(async () => {
  for (const one of running) await one.kill();
  await data.remove();
});

function start(environment: Record<string, string> = {}, command = 'serve'): Process {
  const whole = { ...unattended, SVC_DEMO: 'off', ...data.environment, ...environment };
  const started = startProcess(['src/main.ts', ...command.split(' ')], whole);
  running.push(started);
  return started;
}
const ended = async (one: Process) => {
  const { code } = await one.exited;
  return { code, text: one.output.join('\n') };
};

describe('a start whose port is taken', () => {
  it('makes nothing and says which setting to change; the next start shows the password', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address ? `${address.port}` : '';
    try {
      const { code, text } = await ended(start({ SVC_PORT: port }));
      expect(code).toBe(1);
      expect(text).toContain('Choose one with SVC_PORT');
      expect(text).not.toMatch(/ {4}at /);
      expect(readdirSync(data.environment['SVC_DATA_DIR'] ?? '')).toEqual([]);
    } finally {
      taken.close();
    }
    expect(await start().line(PASSWORD)).toMatch(PASSWORD);
  });

  it('is found for the port to which devices push, before there is an admin', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address ? `${address.port}` : '';
    try {
      const { code, text } = await ended(start({ SVC_DRIVERS: 'http', HTTP_IN_PORT: port }));
      expect(code).toBe(1);
      expect(text).toContain('HTTP_IN_PORT');
      expect(text).not.toContain('The first admin exists');
    } finally {
      taken.close();
    }
  });

  it('is found for the LwM2M port too, before there is an admin', async () => {
    const taken = createSocket('udp4');
    taken.bind(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = `${taken.address().port}`;
    try {
      const { code, text } = await ended(start({ LWM2M_PORT: port }));
      expect(code).toBe(1);
      expect(text).toContain('LWM2M_PORT');
    } finally {
      taken.close();
    }
    expect(await start().line(PASSWORD)).toMatch(PASSWORD);
  });
});

describe('a second start', () => {
  it('says that the password is the one set before, also where the variable is set', async () => {
    const first = start();
    await first.line(PASSWORD);
    await first.stop();
    const second = start({ SVC_ADMIN_PASSWORD: 'another password' });
    expect(await second.line(/^ {2}Password/)).toMatch(
      /as set before \(SVC_ADMIN_PASSWORD counts at the first start only\).*svc -- password/,
    );
    await second.line(/^ {2}Database/);
    expect(second.output.join('\n')).not.toMatch(/^ {2}Login/m);
  });
});

describe('what a start prints', () => {
  it('is at most 25 lines before the first line of the device, and none for each update', async () => {
    const environment = { SVC_DEMO: 'on', SVC_LOG_LEVEL: 'info' };
    const platform = start(environment);
    await platform.line(/^dev-1 registered/);
    const at = platform.output.findIndex((line) => line.startsWith('dev-1 '));
    // npm itself prints four.
    expect(at + 4).toBeLessThanOrEqual(25);
    expect(platform.output.filter((line) => line.includes('migration applied'))).toEqual([]);
  });
});

describe('a start with impossible settings', () => {
  it('names every reason at once, in words', async () => {
    const { SVC_SECRET_KEY: _key, AUTH_HMAC_SECRET: _hmac, ...rest } = unattended;
    const wrong = { SVC_ENV: 'pro', DATABASE_URL: 'mysql://127.0.0.1/x', SVC_PORT: '99999' };
    const one = startProcess(['src/main.ts', 'serve'], { ...rest, ...data.environment, ...wrong });
    running.push(one);
    const { code, text } = await ended(one);
    expect(code).toBe(1);
    for (const reason of [
      /DATABASE_URL: must be postgres:\/\//,
      /SVC_PORT: /,
      /SVC_SECRET_KEY is required/,
      /AUTH_HMAC_SECRET is empty or the shipped default/,
    ])
      expect(text).toMatch(reason);
    expect(text).not.toMatch(/ {4}at /);
  });
});

describe('the command line', () => {
  it('knows its version', async () => {
    const { code, text } = await ended(start({}, '--version'));
    expect({ code, text }).toEqual({ code: 0, text: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });

  it('ends without a trace when its reader has seen enough', async () => {
    const child = spawn(process.execPath, [join('src', 'main.ts'), 'tools', '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => void (complaint += chunk.toString()));
    // Gone before the first line: what is written then finds no reader.
    child.stdout.destroy();
    const [code] = await once(child, 'exit');
    expect({ code, complaint }).toEqual({ code: 0, complaint: '' });
  });
});

it('the repository says its licence, changes and how to report a weakness', () => {
  const files = execFileSync('git', ['ls-files', '*.md', 'LICENSE'], { encoding: 'utf8' });
  for (const name of ['LICENSE', 'CHANGELOG.md', 'SECURITY.md']) expect(files).toContain(name);
});
