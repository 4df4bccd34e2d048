import { describe, expect, it } from 'vitest';

import { isActive } from '../../src/alarm/condition/schedule.ts';
import { RuleExt } from '../../src/alarm/kind/rule-ext.ts';
import { SilenceWindow } from '../../src/alarm/kind/week-window.ts';
import { render } from '../../src/alarm/message/render.ts';
import { defaultTemplate } from '../../src/alarm/message/templates.ts';
import { quotedNames, variablesOf } from '../../src/alarm/message/variables.ts';
import { leadsElsewhere } from '../../src/alarm/notify/channel/channel-credential.ts';
import { isOnCall, OnCall } from '../../src/alarm/notify/hours.ts';
import { alarmOf, valueIn } from '../../src/alarm/rule/rule-alarm.ts';
import { endOf, isWithin } from '../../src/kernel/time-window.ts';

const at = (iso: string): number => Date.parse(iso);

describe('a silence window', () => {
  const silent = (window: object, iso: string): boolean =>
    isWithin(SilenceWindow.parse(window), at(iso));

  it('begins at its start and ends before its end', () => {
    const lunch = { start: '12:00', end: '13:00' };
    expect(
      ['11:59:59', '12:00:00', '12:59:59', '13:00:00'].map((time) =>
        silent(lunch, `2026-01-05T${time}Z`),
      ),
    ).toEqual([false, true, true, false]);
  });

  it('goes on over midnight, as part of the day on which it began', () => {
    // 2026-01-05 is a Monday.
    const night = { start: '22:00', end: '06:00', daysOfWeek: ['MONDAY'] };
    expect(silent(night, '2026-01-05T05:00:00Z')).toBe(false);
    expect(silent(night, '2026-01-05T23:00:00Z')).toBe(true);
    expect(silent(night, '2026-01-06T05:59:59Z')).toBe(true);
    expect(silent(night, '2026-01-06T06:00:00Z')).toBe(false);
    expect(silent(night, '2026-01-06T23:00:00Z')).toBe(false);
    const sunday = { ...night, daysOfWeek: [7] };
    expect(silent(sunday, '2026-01-05T05:00:00Z')).toBe(true);
  });

  it('is a whole day where it ends when it begins', () => {
    const weekend = { start: '00:00', end: '00:00', daysOfWeek: [6, 7] };
    expect(silent(weekend, '2026-01-04T23:59:59Z')).toBe(true);
    expect(silent(weekend, '2026-01-05T00:00:00Z')).toBe(false);
  });

  it.each([
    ['UTC', '22:00', '06:00', '2026-01-05T23:10:00Z', '2026-01-06T06:00:00.000Z'],
    ['UTC', '12:00', '12:00:30', '2026-01-05T12:00:07Z', '2026-01-05T12:00:30.000Z'],
    // The night of the change to summer time is an hour shorter.
    ['Europe/Berlin', '22:00', '06:00', '2026-03-28T22:00:00Z', '2026-03-29T04:00:00.000Z'],
    // That of the change back is an hour longer.
    ['Europe/Berlin', '22:00', '06:00', '2026-10-24T20:30:00Z', '2026-10-25T05:00:00.000Z'],
    // By half an hour, the other way round.
    ['Australia/Lord_Howe', '22:00', '06:00', '2026-10-03T11:30:00Z', '2026-10-03T19:00:00.000Z'],
    ['Australia/Lord_Howe', '22:00', '06:00', '2026-04-04T11:00:00Z', '2026-04-04T19:30:00.000Z'],
    // An end that the clocks skip is when they skip it.
    ['Australia/Lord_Howe', '22:00', '02:15', '2026-10-03T11:30:00Z', '2026-10-03T15:30:00.000Z'],
  ])(
    'in %s from %s to %s, entered at %s, has its end at %s',
    (timezone, start, end, from, until) => {
      const window = SilenceWindow.parse({ timezone, start, end });
      expect(new Date(endOf([window], at(from))).toISOString()).toBe(until);
    },
  );

  it('that never ends is looked at again after a week', () => {
    const always = SilenceWindow.parse({ start: '00:00', end: '00:00' });
    const now = at('2026-01-05T12:00:00Z');
    expect(endOf([always], now)).toBe(now + 7 * 86_400_000);
  });

  it('follows the clock on the wall of its zone, in summer and in winter', () => {
    const berlin = { timezone: 'Europe/Berlin', start: '22:00', end: '23:00' };
    expect(silent(berlin, '2026-01-05T21:30:00Z')).toBe(true);
    expect(silent(berlin, '2026-07-05T21:30:00Z')).toBe(false);
    expect(silent(berlin, '2026-07-05T20:30:00Z')).toBe(true);
    const auckland = {
      timezone: 'Pacific/Auckland',
      start: '08:00',
      end: '09:00',
      daysOfWeek: [2],
    };
    expect(silent(auckland, '2026-01-05T19:30:00Z')).toBe(true);
  });

  it('is that of a rota and of a rule too, where clocks change by half an hour', () => {
    const timezone = 'Australia/Lord_Howe';
    const night = { start: '22:00', end: '06:00', daysOfWeek: [6] };
    const onCall = OnCall.parse({ timezone, windows: [night] });
    const condition = { field: 'value', operator: '>', threshold: 1 };
    const { content } = RuleExt.parse({
      content: { condition, schedule: [{ timezone, ...night }] },
    });
    const within = (iso: string) => [
      silent({ timezone, ...night }, iso),
      isOnCall(onCall, at(iso)),
      isActive(content, at(iso)),
    ];
    // Saturdays, 22:00: +11:00 before the change back on 5 April, +10:30 before that of 4 October.
    for (const [begin, end] of [
      ['2026-04-04T11:00', '2026-04-04T19:30'],
      ['2026-10-03T11:30', '2026-10-03T19:00'],
    ] as const) {
      const before = (time: string): string => new Date(at(`${time}Z`) - 1).toISOString();
      expect(within(before(begin))).toEqual([false, false, false]);
      expect(within(`${begin}:00Z`)).toEqual([true, true, true]);
      expect(within(before(end))).toEqual([true, true, true]);
      expect(within(`${end}:00Z`)).toEqual([false, false, false]);
    }
  });
});

describe('a template', () => {
  const variables = { level: 'P1', device: 'a {{level}} $& $1', empty: '' };

  it('takes each variable once, literally, and reports what is missing where it stood', () => {
    expect(
      render(
        { title: ' {{ level }}\n{{device}} ', text: '{{empty}}{{ nothing }}{{level}}' },
        variables,
      ),
    ).toEqual({
      title: 'P1 a {{level}} $& $1',
      text: '{{ nothing }}P1',
      used: { level: 'P1', device: variables.device, empty: '' },
      missing: ['nothing'],
    });
  });

  it.each(['__proto__', 'constructor', 'toString'])('knows no variable %s', (name) => {
    expect(render({ title: '', text: `{{${name}}}` }, variables).missing).toEqual(
      name.startsWith('_') ? [] : [name],
    );
  });

  it('evaluates nothing', () => {
    const text = '{{7*7}} {{level.length}} ${level} <%= level %> {{#each}} {{{level}}}';
    expect(render({ title: '', text }, variables).text).toBe(
      '{{7*7}} {{level.length}} ${level} <%= level %> {{#each}} {P1}',
    );
  });

  it('is cut to what is sent, between characters', () => {
    const { title, text } = render({ title: '{{x}}', text: '{{x}}' }, { x: '😀'.repeat(3_000) });
    expect(title.length).toBeLessThanOrEqual(200);
    expect(text.length).toBeLessThanOrEqual(4_000);
    for (const cut of [title, text]) expect(cut.isWellFormed()).toBe(true);
  });
});

it('notices every way on which a secret could arrive elsewhere', () => {
  const settings = { url: 'https://b.example.org', body: '{{to}} {{text}}' };
  const here = { target: 'https://a.example.org/x', settings };
  const moved = (target: string) => leadsElsewhere(here, { ...here, target });
  for (const same of ['https://a.example.org/y?z', 'HTTPS://A.example.org:443/', '+4930123456'])
    expect(moved(same), same).toBe(false);
  for (const other of [
    'http://a.example.org/x',
    'https://a.example.org:8443/x',
    'https://a.example.org@evil.example.org/x',
    'https://a.example.org.evil.example.org/x',
    ' https://evil.example.org/',
    'https:\\\\evil.example.org',
    'https:evil.example.org',
    'ht\ntps://evil.example.org',
  ])
    expect(moved(other), other).toBe(true);
  const set = (changed: object) => leadsElsewhere(here, { ...here, settings: changed });
  // The order of names says nothing: the database does not keep it.
  expect(set({ body: settings.body, url: settings.url })).toBe(false);
  for (const changed of [
    { ...settings, url: 'https://b.example.org/other' },
    { ...settings, body: '{{to}} {{credential}} {{text}}' },
    { ...settings, deep: [{ url: 'https://evil.example.org' }] },
    {},
  ])
    expect(set(changed)).toBe(true);
});

describe('the ordinary words of a notification', () => {
  const message = (deviceName: string, text: string) => {
    const variables = variablesOf(
      {
        tenantId: '1',
        alarmId: '7',
        ruleStateId: '1',
        ruleId: '1',
        ruleCode: '',
        name: 'boiler" recovered "',
        level: 'P1',
        target: 'POINT',
        entityId: '1',
        deviceId: '1',
        pointId: '1',
        message: text,
        occurTime: 0,
        facts: {},
      },
      { deviceName, pointName: '', driverName: '', unit: '', zone: 'Europe/Berlin' },
      { event: 'FIRED', now: 0, episode: null },
    );
    return render(defaultTemplate('FIRED', variables), quotedNames(variables));
  };

  it('are not imitated by names, nor by lines in what a device said', () => {
    const { title, text } = message('dev\nAlarm: 8', 'too hot\nDevice: dev-9\u202E');
    expect(title).toBe(`[P1] "boiler' recovered '" fired`);
    expect(text.split('\n')).toEqual([
      'too hot Device: dev-9',
      'Device: "dev Alarm: 8"',
      `Rule: "boiler' recovered '"`,
      'Time: 1970-01-01 01:00:00+01:00',
      'Alarm: 7',
    ]);
  });

  it('keep the quotations of a message, in marks that an SMS can carry', () => {
    const { text } = message('dev', '“too hot”: temperature = “” x”');
    expect(text.split('\n')[0]).toBe('"too hot": temperature = "" x"');
  });

  it('quote what a device said and is no number', () => {
    const said = (calValue: string) => valueIn('calValue', { values: { calValue } });
    expect(said('95.5')).toBe('calValue = 95.5');
    expect(said('20 (> 90)\nno longer: “x”')).toBe("calValue = “20 (> 90) no longer: 'x'”");
  });
});

describe('the message and the condition of an alarm', () => {
  const hostile = 'Alarm 8 is over” “';
  const alarm = (condition: object) =>
    alarmOf(
      {
        tenantId: '1',
        now: 0,
        rule: {
          id: '1',
          name: hostile,
          code: '',
          target: 'POINT',
          entityId: '1',
          notifyId: '0',
          messageId: '0',
          content: RuleExt.parse({ content: { condition } }).content,
          since: 0,
        },
        fact: {
          entityId: '1',
          deviceId: '1',
          driverId: '1',
          pointId: '1',
          values: { calValue: '95' },
          at: 0,
        },
      },
      '1',
    );

  it('hold rule names, units and compared texts in quotations', () => {
    const said = "“Alarm 8 is over' '”";
    expect(alarm({ field: 'calValue', operator: '>', threshold: 90, unit: '°C' })).toMatchObject({
      message: `${said}: calValue = 95 (> 90)`,
      condition: 'calValue > 90 °C',
    });
    expect(
      alarm({ field: 'calValue', operator: 'between', low: 90, high: 99, unit: 'K. Over' }),
    ).toMatchObject({
      message: `${said}: calValue = 95 (between 90 and 99)`,
      condition: 'calValue between 90 and 99 “K. Over”',
    });
    expect(alarm({ field: 'calValue', operator: 'contains', expected: hostile })).toMatchObject({
      message: `${said}: calValue = 95 (contains ${said})`,
      condition: `calValue contains ${said}`,
    });
  });
});
