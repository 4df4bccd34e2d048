import { expect, it } from 'vitest';

import {
  type Decision,
  decide,
  decideDeferred,
  type Seen,
} from '../../driver/lwm2m/firmware/decision.ts';
import type { FirmwareUpdate } from '../../driver/sdk/driver.ts';

type Known = FirmwareUpdate['known'];

const known = (given: Partial<Known>): Known => ({
  phase: 'UPDATING',
  versionBefore: '1.0',
  pushes: 1,
  executions: 1,
  answer: 'ACCEPTED',
  session: 'a',
  resultBefore: 0,
  ...given,
});
const seen = (given: Partial<Seen>): Seen => ({
  state: 2,
  result: 0,
  version: '1.0',
  isNew: false,
  ...given,
});
const update = (given: Partial<Known>, uri = '') => ({ version: '2.0', uri, known: known(given) });
const wordOf = (next: Decision | null): string =>
  typeof next === 'object' ? (next?.end ?? 'nothing') : next;

it.each<[string, string, Partial<Known>, Partial<Seen>]>([
  ['that was accepted is not repeated after a restart', 'wait', {}, { isNew: true }],
  ['without an answer is waited for', 'wait', { answer: 'SENT' }, {}],
  [
    'without an answer is repeated once the device came back with the package',
    'execute',
    { answer: 'SENT' },
    { isNew: true },
  ],
  [
    'without an answer is not repeated where the device puts it off',
    'wait',
    { answer: 'SENT' },
    { isNew: true, result: 11 },
  ],
  ['that never went out goes out', 'execute', { answer: 'NONE', executions: 0 }, {}],
  ['that was refused is repeated', 'execute', { answer: 'REFUSED', executions: 2 }, {}],
  ['that was refused three times is a failure', 'FAILED', { answer: 'REFUSED', executions: 3 }, {}],
])('an order to install %s', (_what, expected, has, says) => {
  expect(wordOf(decide(update(has), seen(says)))).toBe(expected);
});

it.each<[string, string, Partial<Known>, Partial<Seen>]>([
  ['a failure is one where it changed', 'FAILED', {}, { result: 8 }],
  ['a failure of before says nothing', 'wait', { resultBefore: 8 }, { result: 8 }],
  [
    'a failure says nothing where none is known of before',
    'wait',
    { resultBefore: null },
    { result: 8 },
  ],
  ['one that the standard does not list says nothing', 'wait', {}, { result: 12 }],
  ['a device that put it off is waited for', 'wait', {}, { result: 11 }],
  ['none at all is waited for', 'wait', {}, { result: null }],
  ['a success of before says nothing', 'wait', { resultBefore: 1 }, { state: 0, result: 1 }],
  [
    'success, and another version after the restart',
    'MISMATCH',
    {},
    { state: 0, result: 1, isNew: true },
  ],
  ['success, and the version of before its restart', 'wait', {}, { state: 0, result: 1 }],
  ['none, and idle as before: nothing says that it failed', 'wait', {}, { state: 0, isNew: true }],
  ['none is needed where it runs the version', 'VERIFIED', {}, { state: 0, version: '2.0' }],
  [
    'what it ran before is not known, and it says no success',
    'wait',
    { versionBefore: null },
    { state: 0, version: '2.0', isNew: true },
  ],
])('a result: %s', (_what, expected, has, says) => {
  expect(wordOf(decide(update(has), seen(says)))).toBe(expected);
});

it.each<[string, string, Partial<Known>, Partial<Seen>]>([
  ['that it got is not sent again', 'wait', {}, {}],
  ['that may have got lost is not sent again', 'wait', { answer: 'SENT' }, {}],
  ['is sent again to a device that came back', 'push', {}, { isNew: true }],
  ['that it answered with an error is sent again', 'push', { answer: 'NONE' }, {}],
  ['that it refused is a failure', 'FAILED', { answer: 'REFUSED' }, {}],
  ['is sent again after a loss of the connection', 'push', {}, { result: 4 }],
  ['lost five times, as it says', 'FAILED', { pushes: 5 }, { result: 4 }],
  ['lost five times, which it does not say', 'UNKNOWN', { pushes: 5 }, { isNew: true }],
])('the address of a package %s', (_what, expected, has, says) => {
  const given = update({ phase: 'SENDING', executions: 0, ...has }, 'coap://files.example/2.0');
  expect(wordOf(decide(given, seen({ state: 0, ...says })))).toBe(expected);
});

it.each<[string, string, Partial<Seen>]>([
  ['runs the version', 'VERIFIED', { state: 0, version: '2.0' }],
  ['says that it failed', 'FAILED', { result: 8 }],
  ['says nothing new', 'nothing', { state: 0 }],
  ['still installs', 'nothing', { state: 3, version: '2.0' }],
  ['lost the connection', 'nothing', { state: 0, result: 4 }],
])('an update without a certain end of a device that %s later', (_what, expected, says) => {
  expect(wordOf(decideDeferred(update({}), seen(says)))).toBe(expected);
});
