import { hostname } from 'node:os';

import { expect, it } from 'vitest';

import { isServedHost } from '../../src/kernel/request/served-host.ts';

const names = {
  baseUrl: 'https://plant.example:8443',
  host: '0.0.0.0',
  hostNames: ['alias.example'],
};

it.each([
  ['', 'a program that sends none'],
  ['plant.example', 'the base URL'],
  ['PLANT.example.:9', 'the same, as it may be spelt'],
  ['alias.example', 'a further name'],
  ['localhost:8000', 'this machine'],
  ['127.0.0.1:8000', 'an address'],
  ['192.168.7.9', 'an address'],
  ['[::1]:8000', 'an address'],
  ['[fe80::7]', 'an address'],
  ['gateway:8000', 'a name within a network of containers'],
  ['host.docker.internal:8000', 'a name within a network'],
  ['auth.plant.svc.cluster.local', 'a name within a network'],
  [hostname(), 'the name of the machine'],
])('serves %j: %s', (host) => {
  expect(isServedHost(names, host)).toBe(true);
});

it.each([
  'evil.example',
  'evil.example:8443',
  'plant.example.evil.example',
  'aplant.example',
  'sub.plant.example',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'local.example',
  'a b',
  '[::1',
  'a,b.example',
])('does not serve %j', (host) => {
  expect(isServedHost(names, host)).toBe(false);
});
