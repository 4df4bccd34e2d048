import { beforeEach, describe, expect, it } from 'vitest';

import type { CoapReply, CoapRequest } from '../../driver/coap/endpoint.ts';
import { createRefusalLog } from '../../driver/lwm2m/registration/refusal-log.ts';
import { type Registration, Registrations } from '../../driver/lwm2m/registration/registration.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { TestClock } from '../support/world/clock.ts';

const log = createLog('silent');
const LINKS = '</>;rt="oma.lwm2m";ct="110 11542",</3/0>,</3303/0>';
const code = (reply: CoapReply) => `${reply.code >> 5}.${String(reply.code & 31).padStart(2, '0')}`;

describe('registrations', () => {
  let clock: TestClock;
  let registrations: Registrations;
  let synced: boolean;
  const heard: string[] = [];

  const open = (restored: Registration[] = []) =>
    new Registrations({
      restored,
      provenName: () => null,
      deviceFor: (endpoint) => (endpoint.startsWith('dev-') ? endpoint.slice(4) : null),
      holds: (deviceId, endpoint) => endpoint === `dev-${deviceId}`,
      refusalOf: (deviceId) => (deviceId === '7' ? 'securityMode is PSK' : null),
      synced: () => synced,
      changed: ({ endpoint }, what) => heard.push(`${endpoint} ${what}`),
      displaced: ({ endpoint }) => heard.push(`${endpoint} displaced`),
      clock,
      log,
    });
  const ask = (request: Partial<CoapRequest>) =>
    registrations.answer({
      peer: { address: '127.0.0.1', port: 40_000 },
      method: 'POST',
      path: ['rd'],
      query: [],
      contentFormat: null,
      accept: null,
      observe: null,
      payload: Buffer.alloc(0),
      ...request,
    });
  const register = (...query: string[]) =>
    ask({ query, contentFormat: 40, payload: Buffer.from(LINKS) });
  const at = (reply: CoapReply, request: Partial<CoapRequest>) =>
    code(ask({ path: reply.locationPath ?? [], ...request }));

  beforeEach(() => {
    clock = new TestClock();
    synced = true;
    heard.length = 0;
    registrations = open();
  });

  it('give a location, which takes updates until it is deleted', () => {
    const reply = register('ep=dev-1', 'lt=60', 'lwm2m=1.1', 'b=U');
    expect(code(reply)).toBe('2.01');
    expect(reply.locationPath).toEqual(['rd', expect.stringMatching(/^[0-9a-f]{16}$/)]);
    expect(at(reply, {})).toBe('2.04');
    expect(at(reply, { method: 'DELETE' })).toBe('2.02');
    expect(at(reply, {})).toBe('4.04');
    expect(at(reply, { method: 'DELETE' })).toBe('4.04');
    expect(heard).toEqual(['dev-1 registered', 'dev-1 heard', 'dev-1 gone']);
  });

  it.each(['1.0', '1.1', '1.2'])('take the version %s', (version) => {
    expect(code(register('ep=dev-1', `lwm2m=${version}`))).toBe('2.01');
    expect(registrations.of('1')).toMatchObject({ version });
  });

  it.each([
    ['U', false],
    ['UQ', true],
    ['US', false],
    ['UQS', true],
    ['UN', false],
    ['TU', false],
  ])('take the binding %s', (binding, queueMode) => {
    expect(code(register('ep=dev-1', `b=${binding}`))).toBe('2.01');
    expect(registrations.of('1')).toMatchObject({ queueMode });
  });

  it.each(['S', 'SQ', 'T', 'NQ', ''])(
    'keep the binding when an update asks for %j, which has no UDP',
    (binding) => {
      const reply = register('ep=dev-1', 'lwm2m=1.1', 'b=U', 'Q');
      expect(at(reply, { query: [`b=${binding}`] })).toBe('4.00');
      expect(registrations.of('1')).toMatchObject({ queueMode: true });
    },
  );

  it('keep what the device said of itself', () => {
    register('ep=dev-1', 'lt=60', 'lwm2m=1.1', 'b=U', 'Q');
    expect(registrations.of('1')).toMatchObject({
      deviceId: '1',
      version: '1.1',
      queueMode: true,
      lifetimeS: 60,
      contentFormats: [110, 11_542],
    });
    register('ep=dev-2', 'b=UQ');
    expect(registrations.of('2')).toMatchObject({
      version: '1.0',
      queueMode: true,
      lifetimeS: 86_400,
    });
  });

  it.each([
    ['</>;rt="oma.lwm2m";ct="60 110 112 11542",</3/0>', [60, 110, 112, 11_542]],
    ['</>;ct=112,</3/0>', [112]],
    ['</lwm2m>;rt="oma.lwm2m";ct=11543,</>;ct=0', [11_543]],
    ['</>;rt="oma.lwm2m";ct="110 110 99999 7 -1 x 40"', [110]],
    ['</3/0>;ct=0', []],
  ])('take the formats from the root link of %s', (links, contentFormats) => {
    ask({ query: ['ep=dev-1', 'lwm2m=1.1'], contentFormat: 40, payload: Buffer.from(links) });
    expect(registrations.of('1')).toMatchObject({ contentFormats });
  });

  it('forget the formats a device was understood in once it names others, and with a new registration', () => {
    const spokenOf = () => registrations.of('1')?.spoken;
    const understood = () =>
      Object.assign(registrations.of('1') ?? {}, { spoken: { value: { said: 0 } } });
    const reply = register('ep=dev-1', 'lwm2m=1.1');
    const update = (links: string) => at(reply, { contentFormat: 40, payload: Buffer.from(links) });
    understood();
    expect([at(reply, {}), update(LINKS), spokenOf()]).toEqual([
      '2.04',
      '2.04',
      { value: { said: 0 } },
    ]);
    expect([update('</>;ct=112'), spokenOf()]).toEqual(['2.04', undefined]);
    understood();
    register('ep=dev-1', 'lwm2m=1.1');
    expect(spokenOf()).toBeUndefined();
  });

  it.each<[string, string, Partial<CoapRequest>]>([
    ['an unknown endpoint', '4.03', { query: ['ep=stranger', 'lt=60', 'lwm2m=1.1'] }],
    ['a name that differs in case', '4.03', { query: ['ep=DEV-1'] }],
    ['a device that is to be protected', '4.03', { query: ['ep=dev-7', 'lt=60', 'lwm2m=1.1'] }],
    ['no endpoint', '4.00', { query: ['lt=60'] }],
    ['an empty endpoint', '4.00', { query: ['ep='] }],
    ['an endpoint given twice', '4.00', { query: ['ep=dev-1', 'ep=dev-2'] }],
    ['a lifetime that is no number', '4.00', { query: ['ep=dev-1', 'lt=soon'] }],
    ['an unknown binding', '4.00', { query: ['ep=dev-1', 'b=X'] }],
    ['a binding without UDP (SMS)', '4.00', { query: ['ep=dev-1', 'b=SQ'] }],
    ['a binding without UDP (TCP, non-IP)', '4.00', { query: ['ep=dev-1', 'b=TN'] }],
    ['links that are none', '4.00', { query: ['ep=dev-1'], payload: Buffer.from('rubbish') }],
    [
      'another format of links',
      '4.15',
      { query: ['ep=dev-1'], contentFormat: 50, payload: Buffer.from('{}') },
    ],
    ['a version of the future', '4.12', { query: ['ep=dev-1', 'lwm2m=2.0'] }],
    ['reading the directory', '4.05', { method: 'GET' }],
    ['another path', '4.04', { path: ['bs'], query: ['ep=dev-1'] }],
  ])('refuse %s with %s', (_what, expected, request) => {
    expect(code(ask(request))).toBe(expected);
    expect(registrations.all()).toEqual([]);
  });

  it('ask an unknown endpoint to come back while not all devices are known', () => {
    synced = false;
    expect(code(register('ep=stranger'))).toBe('5.03');
    expect(code(register('ep=dev-1'))).toBe('2.01');
  });

  it.each<[string, Partial<CoapRequest>, string | null]>([
    ['of a known endpoint', { query: ['ep=dev-1'] }, null],
    ['of an unknown endpoint', { query: ['ep=stranger'] }, '4.03'],
    ['of a device that is to be protected', { query: ['ep=dev-7'] }, '4.03'],
    ['without an endpoint', { query: ['x0'] }, '4.00'],
    ['at an unknown location', { path: ['rd', 'none'] }, '4.04'],
    ['anywhere else', { path: ['firmware'] }, '4.04'],
  ])('are asked about a body %s before it is taken in', (_what, request, expected) => {
    const peer = { address: '127.0.0.1', port: 40_000 };
    const head = { peer, method: 'POST' as const, path: ['rd'], query: [], contentFormat: null };
    const refusal = registrations.refusalBefore({
      ...head,
      accept: null,
      observe: null,
      ...request,
    });
    expect(typeof refusal === 'number' ? code({ code: refusal }) : refusal).toBe(expected);
  });

  it('tell of a flood of unknown endpoints in a few lines and a number', async () => {
    const lines: string[] = [];
    const flooded = createRefusalLog(clock, {
      ...log,
      info: (facts: object, text: string) => lines.push(`${text} ${JSON.stringify(facts)}`),
      warn: (facts: object, text: string) => lines.push(`${text} ${JSON.stringify(facts)}`),
    });
    for (let n = 0; n < 10_000; n += 1)
      flooded.add('an unknown endpoint was refused', { host: `192.0.2.${n % 100}` });
    expect(lines).toHaveLength(50);
    await clock.advance(60_000);
    expect(lines.slice(50)).toEqual([
      'more requests were refused in the last minute {"refused":9950}',
    ]);
    for (let n = 0; n < 10; n += 1) flooded.add('an unknown endpoint was refused', { host: 'one' });
    expect(lines).toHaveLength(56);
    flooded.close();
  });

  it('leave unknown endpoints that ask too often without an answer, and no known one', async () => {
    const before = (address: string, endpoint: string) =>
      registrations.refusalBefore({
        peer: { address, port: 40_000 },
        method: 'POST',
        path: ['rd'],
        query: [`ep=${endpoint}`],
        contentFormat: null,
        accept: null,
        observe: null,
      });
    const answered = (count: number, address: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => before(address(n), `unknown-${n}`)).filter(
        (refusal) => refusal !== 'silent',
      ).length;
    expect(answered(1_000, () => '10.0.0.1')).toBe(50);
    expect(before('10.0.0.1', 'dev-1')).toBeNull();
    expect(before('10.0.0.2', 'unknown')).toBe(0x83);
    // Made up addresses share what is left.
    expect(answered(20_000, (n) => `10.1.${n >> 8}.${n & 255}`)).toBe(449);
    expect(before('10.0.0.3', 'dev-1')).toBeNull();
    await clock.advance(1_000);
    expect(answered(1_000, () => '10.0.0.1')).toBe(10);
  });

  it('end with their lifetime, which each update begins anew', async () => {
    const reply = register('ep=dev-1', 'lt=60');
    await clock.advance(59_000);
    expect(at(reply, {})).toBe('2.04');
    await clock.advance(59_000);
    expect(registrations.of('1')).toBeDefined();
    await clock.advance(2_000);
    expect(registrations.of('1')).toBeUndefined();
    expect(at(reply, {})).toBe('4.04');
    await clock.advance(1_000);
    expect(heard.at(-1)).toBe('dev-1 gone');
    expect(registrations.all()).toEqual([]);
  });

  it('have no end with a lifetime of 0', async () => {
    const reply = register('ep=dev-1', 'lt=0');
    expect(code(reply)).toBe('2.01');
    expect(registrations.of('1')?.expiresAt).toBe(8.64e15);
    await clock.advance(600_000);
    expect(at(reply, {})).toBe('2.04');
    expect(at(reply, { query: ['lt=60'] })).toBe('2.04');
    await clock.advance(62_000);
    expect(at(reply, {})).toBe('4.04');
  });

  it('keep the root path, and take a new binding with an update', () => {
    const links = '</lwm2m/v%201>;rt="oma.lwm2m x";ct="110",</lwm2m/v%201/3/0>';
    const reply = ask({ query: ['ep=dev-1', 'b=U'], payload: Buffer.from(links) });
    const { root, queueMode } = registrations.of('1') ?? {};
    expect({ root, queueMode }).toEqual({ root: ['lwm2m', 'v 1'], queueMode: false });
    at(reply, { query: ['b=UQ'] });
    at(reply, { query: ['lt=600'] });
    expect(registrations.of('1')).toMatchObject({ root, queueMode: true });
    at(reply, { query: ['b=U'], payload: Buffer.from('</>;rt="oma.lwm2m"') });
    expect(registrations.of('1')).toMatchObject({ root: [], queueMode: false });
  });

  it('follow the device to the address of its update, with the lifetime it asks for', async () => {
    const reply = register('ep=dev-1', 'lt=3600');
    const peer = { address: '127.0.0.2', port: 50_000 };
    expect(at(reply, { peer, query: ['lt=10'] })).toBe('2.04');
    expect(registrations.of('1')?.peer).toEqual(peer);
    await clock.advance(12_000);
    expect(registrations.of('1')).toBeUndefined();
  });

  it('say that they changed when the address of a device changes within its session, and only then', () => {
    const proven = { session: 'session 1', deviceId: '1' };
    const first = { address: '192.0.2.1', port: 40_000, proven };
    const reply = ask({ peer: first, query: ['ep=dev-1', 'lt=3600'] });
    const second = { ...first, port: 50_000 };
    expect(at(reply, { peer: second })).toBe('2.04');
    expect(at(reply, { peer: { ...second } })).toBe('2.04');
    expect(registrations.at(first)?.peer).toEqual(second);
    expect(heard).toEqual(['dev-1 registered', 'dev-1 updated', 'dev-1 heard']);
  });

  it('are replaced when the device registers again: its old location is gone', () => {
    const first = register('ep=dev-1');
    const second = register('ep=dev-1');
    expect(second.locationPath).not.toEqual(first.locationPath);
    expect(at(first, {})).toBe('4.04');
    expect(at(second, {})).toBe('2.04');
    expect(registrations.all()).toHaveLength(1);
  });

  it('outlive a restart, but not their end, nor that their name is of another device', async () => {
    const [long, moved] = [register('ep=dev-1', 'lt=600'), register('ep=dev-3', 'lt=600')];
    register('ep=dev-2', 'lt=10');
    const saved = structuredClone(registrations.all());
    for (const one of saved) if (one.deviceId === '3') one.deviceId = '4';
    registrations.close();
    await clock.advance(20_000);
    synced = false;
    registrations = open(saved);
    expect(registrations.all().map(({ endpoint }) => endpoint)).toEqual(['dev-1', 'dev-3']);
    expect([at(long, {}), at(moved, {})]).toEqual(['2.04', '2.04']);
    synced = true;
    expect([at(long, {}), at(moved, {})]).toEqual(['2.04', '4.04']);
    expect(registrations.all().map(({ endpoint }) => endpoint)).toEqual(['dev-1']);
  });

  it('leave no timer behind', () => {
    register('ep=dev-1');
    registrations.close();
    expect(clock.pending).toBe(0);
  });
});
