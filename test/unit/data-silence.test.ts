import { describe, expect, it } from 'vitest';

import { sentenceOf } from '../../src/data/silence/sentence.ts';
import {
  type Cause,
  CAUSES,
  type Circumstances,
  type LatestFacts,
  silenceOf,
} from '../../src/data/silence/silence.ts';
import type { Presence } from '../../src/manager/presence/presence.ts';

const NOW = Date.UTC(2026, 10, 24, 12);
const MINUTE = 60_000;
const iso = (at: number) => new Date(at).toISOString();

const online: Presence = {
  status: 'online',
  description: '',
  statusReason: '',
  neverConnected: false,
  offlineSince: null,
};
const away: Presence = {
  ...online,
  status: 'offline',
  description: 'not registered',
  offlineSince: iso(NOW - 5 * MINUTE),
};
const unheard: Presence = { ...online, status: 'unknown', neverConnected: true };
const good: LatestFacts = {
  ageS: 12,
  expectedIntervalS: 30,
  stale: false,
  quality: 'GOOD',
  storedQuality: 'GOOD',
  rawValue: '21',
  calValue: '21',
  numValue: 21,
  issue: null,
};
const bad: LatestFacts = {
  ...good,
  quality: 'BAD',
  storedQuality: 'BAD',
  numValue: null,
  calValue: '',
};

/** A device that serves a point well. */
const well: Circumstances = {
  enabled: { device: true, profile: true, driver: true, point: true },
  isReadable: true,
  type: 'DOUBLE',
  unit: '°C',
  range: { min: 5, max: 30 },
  breakSince: null,
  driver: { code: 'Lwm2mDriver', isDeclared: true, status: 'online', heardAt: NOW - 5000 },
  presence: online,
  isReported: true,
  isLapsed: false,
  endpoint: 'urn:one',
  otherEndpoint: null,
  changedAt: NOW - 10 * MINUTE,
  readableSince: NOW - 10 * MINUTE,
  intervalMs: 30_000,
  readIssue: '',
  sleeps: false,
  unregistered: null,
  latest: good,
};

const off = (part: keyof Circumstances['enabled']): Partial<Circumstances> => ({
  enabled: { ...well.enabled, [part]: false },
});
const gone = { ...well.driver, status: 'offline' } as const;

/** For each cause, in the order of the decision, what is enough for it with no value at all or with the given one. */
const enough: Readonly<Record<Exclude<Cause, 'ARRIVING'>, Partial<Circumstances>>> = {
  DEVICE_DISABLED: off('device'),
  PROFILE_DISABLED: off('profile'),
  DRIVER_DISABLED: off('driver'),
  POINT_DISABLED: off('point'),
  WRITE_ONLY: { isReadable: false },
  NOTHING_RECEIVED: { breakSince: NOW - MINUTE },
  DRIVER_UNDECLARED: {
    driver: { ...gone, status: 'unknown', isDeclared: false, heardAt: null },
  },
  DRIVER_GONE: { driver: gone },
  NOT_REPORTED: { presence: unheard, isReported: false },
  NODE_GONE: { presence: away, isLapsed: true },
  OTHER_ENDPOINT: { presence: away, otherEndpoint: 'urn:two' },
  NEVER_CONNECTED: { presence: { ...away, neverConnected: true, offlineSince: null } },
  OFFLINE: { presence: away },
  UNANSWERED: { readIssue: 'the device did not answer in time' },
  ASLEEP: { sleeps: true },
  VALUE_DUE: { readableSince: NOW - MINUTE },
  NOT_READ: {},
  OVERDUE: { latest: { ...good, ageS: 120, stale: true } },
  REFUSED: { latest: { ...bad, issue: 'the device answered 4.04' } },
  FORMAT: { latest: { ...bad, issue: 'Content-Format 60 is not spoken' } },
  NO_VALUE: { latest: { ...bad, issue: 'objectId is not an id from 0 to 65534' } },
  SCALING: { latest: { ...bad, calValue: 'warm' } },
  UNFIT: { type: 'BYTE', latest: { ...bad, calValue: '300' } },
  MARKED_BAD: { latest: { ...bad, calValue: '21' } },
  DOUBT: { latest: { ...good, storedQuality: 'UNCERTAIN', issue: 'the address changed' } },
  TIME_AHEAD: { latest: { ...good, storedQuality: 'UNCERTAIN' } },
  RANGE: { latest: { ...good, numValue: 31 } },
};
const without: Circumstances = { ...well, latest: null };
const causeOf = (of: Circumstances) => silenceOf(of, NOW).cause;
const textOf = (of: Circumstances, zone = 'UTC') => sentenceOf(silenceOf(of, NOW), of, zone);
const all = CAUSES.filter((cause) => cause !== 'ARRIVING');

describe('a point without a fresh and good value', () => {
  it.each(all)('%s is found', (cause) => {
    expect(causeOf({ ...without, ...enough[cause] })).toBe(cause);
  });

  it.each(all)('%s ends with the next step, in one sentence', (cause) => {
    expect(textOf({ ...without, ...enough[cause] })).toMatch(/^[a-z][^;]+; [^;]+[^.;]$/);
  });

  // What concerns the connection counts only of a value that is late.
  const connection = all.slice(0, all.indexOf('VALUE_DUE'));
  it.each(connection)('%s goes before all causes that come after it', (cause) => {
    for (const later of connection.slice(connection.indexOf(cause) + 1)) {
      const both = { ...without, ...enough[later], ...enough[cause] };
      // Both are said by the same fact: only one of them can be.
      if (Object.keys(enough[cause]).some((key) => Object.hasOwn(enough[later], key))) continue;
      expect([later, causeOf(both)]).toEqual([later, cause]);
    }
    const stale = { ...bad, stale: true, issue: 'the device answered 4.04' };
    expect(causeOf({ ...well, latest: stale, ...enough[cause] })).toBe(cause);
  });

  it('is told from its last answer while that is fresh, whatever the connection is', () => {
    const latest = { ...bad, issue: 'the device answered 4.05' };
    for (const cause of connection.slice(connection.indexOf('NOTHING_RECEIVED')))
      expect([cause, causeOf({ ...well, ...enough[cause], latest })]).toEqual([cause, 'REFUSED']);
  });

  it('waits for two read intervals since it could be read, however often heartbeats come', () => {
    const at = (readableSince: number) => causeOf({ ...without, readableSince });
    expect([at(NOW - 59_999), at(NOW - 60_000), at(NOW - 60_001)]).toEqual([
      'VALUE_DUE',
      'VALUE_DUE',
      'NOT_READ',
    ]);
    const stale = { ...good, stale: true, ageS: 900 };
    expect(causeOf({ ...well, latest: stale, readableSince: NOW })).toBe('VALUE_DUE');
    expect(causeOf({ ...well, latest: stale })).toBe('OVERDUE');
  });
});

describe('a point with a fresh and good value', () => {
  it.each([5, 30, null])('has no cause within its range: %s', (numValue) => {
    expect(causeOf({ ...well, latest: { ...good, numValue } })).toBe('ARRIVING');
  });

  it('has its age in the sentence', () => {
    expect(textOf(well)).toBe('values arrive; the latest is 12 s old');
  });

  it.each([
    [{ min: null, max: 20 }, 'its range up to 20 °C'],
    [{ min: 22, max: null }, 'its range from 22 °C'],
    [{ min: 1, max: 2 }, 'its range of 1 to 2 °C'],
  ])('outside %o has the range in the sentence', (range, text) => {
    expect(textOf({ ...well, range })).toContain(`is outside ${text}; check the scaling`);
  });
});

describe('in every combination of facts', () => {
  it('one sentence with a next step, and ARRIVING for a fresh and good value alone', () => {
    const product = (parts: readonly (readonly Partial<Circumstances>[])[]) =>
      parts.reduce<Circumstances[]>(
        (found, choices) => found.flatMap((of) => choices.map((one) => ({ ...of, ...one }))),
        [well],
      );
    const combinations = product([
      [{}, off('device'), off('profile'), off('driver'), off('point')],
      [{}, { isReadable: false }],
      [{}, enough.NOTHING_RECEIVED],
      [{}, enough.DRIVER_UNDECLARED, enough.DRIVER_GONE],
      [{}, enough.NOT_REPORTED, enough.NODE_GONE, enough.NEVER_CONNECTED, enough.OFFLINE],
      [{}, { otherEndpoint: 'urn:two' }],
      [{}, enough.UNANSWERED, enough.ASLEEP],
      [{}, { readableSince: null }, enough.VALUE_DUE],
      [null, ...all.map((cause) => enough[cause].latest ?? good)].flatMap((latest) => [
        { latest },
        ...(latest ? [{ latest: { ...latest, stale: true } }] : []),
      ]),
    ]);
    expect(combinations.length).toBeGreaterThan(50_000);
    const seen = new Set<Cause>();
    for (const of of combinations) {
      const { cause } = silenceOf(of, NOW);
      seen.add(cause);
      const { latest } = of;
      const isGood = latest !== null && !latest.stale && latest.storedQuality === 'GOOD';
      if (isGood !== (cause === 'ARRIVING' || cause === 'RANGE')) expect([cause, of]).toBeNull();
      if (!textOf(of).includes('; ')) expect([textOf(of), of]).toBeNull();
    }
    expect(CAUSES.filter((cause) => !seen.has(cause))).toEqual(['UNFIT']);
  });
});

describe('the sentence', () => {
  const refused = (code: string, unregistered: string | null = null) =>
    textOf({ ...well, unregistered, latest: { ...bad, issue: `the device answered ${code}` } });

  it.each([
    ['4.01', 'give the server the right'],
    ['4.04', 'correct the path of the point'],
    ['4.05', 'make it write-only'],
    ['4.06', 'check the formats'],
    ['4.29', 'check the path of the point'],
    ['5.00', 'look at the device itself'],
  ])('says after %s: %s', (code, step) => {
    expect(refused(code)).toContain(step);
  });

  it('names the instance that the device did not register, after 4.04 alone', () => {
    const end = 'the device did not register /3303/0';
    expect(refused('4.04', '/3303/0')).toContain(end);
    expect(refused('4.05', '/3303/0')).not.toContain(end);
  });

  it('quotes what drivers and devices say, and cuts it', () => {
    const readIssue = `ok” ${'x'.repeat(300)}`;
    const text = textOf({ ...without, readIssue });
    expect(text).toContain("failed (“ok' xxx");
    expect(text.length).toBeLessThan(400);
  });

  it('has times in the zone that is asked for', () => {
    expect(textOf({ ...without, ...enough.OFFLINE }, 'Europe/Berlin')).toContain(
      'device offline since 2026-11-24T12:55:00+01:00 (“not registered”)',
    );
  });
});
