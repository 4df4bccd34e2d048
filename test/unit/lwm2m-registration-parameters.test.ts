import { describe, expect, it } from 'vitest';

import { parseRegistration } from '../../driver/lwm2m/registration/request.ts';

const parsed = (...query: string[]) =>
  parseRegistration({ query, contentFormat: null, payload: Buffer.alloc(0) });

/** What real devices send beside what the specification says. */
describe('the parameters of a registration', () => {
  it.each([
    ['1.0.2', '1.0'],
    ['1.1.1', '1.1'],
    ['1.2.10', '1.2'],
  ])('have a version %s with its patch', (named, version) => {
    expect(parsed('ep=dev-1', `lwm2m=${named}`)).toMatchObject({ version });
  });

  it.each(['1.0.x', '1.0.', '1.3', '11.0'])('are refused for the version %s', (named) => {
    expect(parsed('ep=dev-1', `lwm2m=${named}`)).toBe(0x8c);
  });

  it.each([
    [['Q'], true],
    [['Q='], true],
    [['Q=true'], true],
    [['Q=false'], false],
    [['Q=0'], false],
    [['Q=false', 'b=UQ'], true],
    [['b=U'], false],
    [[], null],
  ])('say with %j that queue mode is %s', (query, queueMode) => {
    expect(parsed('ep=dev-1', 'lwm2m=1.1', ...query)).toMatchObject({ queueMode });
  });
});
