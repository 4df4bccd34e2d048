import { describe, expect, it } from 'vitest';

import { answers, chat, ID } from '../support/contract/scripted-chat.ts';

describe('the scripted model', () => {
  it.each([
    'what is the temperature of dev-1',
    'What is the temperature of dev-1?',
    'what is dev-1’s temperature?',
    'Tell me the current temperature on dev-1.',
  ])('looks up the point before it tells its value: %s', async (question) => {
    const { text, calls } = await chat(question);
    expect(calls).toEqual([
      ['searchDevices', { deviceName: 'dev-1', limit: 20 }],
      ['searchPoints', { deviceId: '1', limit: 20 }],
      ['getLatestPointValue', { deviceId: '1', pointId: '7' }],
    ]);
    expect(text).toContain('20.5 °C');
  });

  it.each([
    "set dev-1's set-point to 21",
    'Set the setpoint of dev-1 to 21',
    'please set the set point of dev-1 to 21 °C.',
  ])('proposes a write and claims nothing more: %s', async (question) => {
    const { text, calls } = await chat(question);
    expect(calls.at(-1)).toEqual(['writePointValue', { deviceId: '1', pointId: '8', value: '21' }]);
    expect(text).toContain('Nothing has been written');
    expect(text).toContain(ID);
  });

  it.each([
    ['list devices', 'dev-10'],
    ['which devices are there?', 'dev-1 (online)'],
    ['history of the temperature of dev-1', '20, 21'],
    ['read the temperature of dev-1 now', '20.6 °C'],
    ['who am I?', 'ann'],
    ['system health', 'The database is up, the message bus is not known.'],
    ['points of dev-1', 'dev-1 has 2 points:\n- Temperature\n- Set point'],
    ['which points does dev-1 have?', 'dev-1 has 2 points:'],
    ["dev-1's temperature", '20.5 °C'],
  ])('answers "%s" from the tools', async (question, expected) => {
    expect((await chat(question)).text).toContain(expected);
  });

  it.each([
    'are there any alarms?',
    'what alarms are open?',
    'Gibt es Alarme?',
    'Welche Alarme sind offen?',
    '有告警吗?',
    '现在有哪些报警？',
  ])('lists the alarms that the platform has, and nothing else: %s', async (question) => {
    const { text, calls } = await chat(question);
    expect(calls).toEqual([['searchAlarms', {}]]);
    expect(text).toBe(
      'I see 2 open alarms:\n- FIRING P1, Temperature of dev-1, since 2026-01-05T07:00:00Z\n- RECOVERED P2, dev-10, since 2026-01-05T06:00:00Z',
    );
  });

  it.each(['show me the alarms of dev-1', 'Welche Alarme hat dev-1?', 'dev-1有告警吗？'])(
    'asks for the alarms of the device that is named: %s',
    async (question) => {
      const results = { ...answers, searchAlarms: { nextCursor: null, records: [] } };
      const { text, calls } = await chat(question, { results });
      expect(calls).toEqual([
        ['searchDevices', { deviceName: 'dev-1', limit: 20 }],
        ['searchAlarms', { deviceId: '1' }],
      ]);
      expect(text).toBe('There are no open alarms of dev-1.');
    },
  );

  it('says that there are no alarms, or that there are more than it saw', async () => {
    const said = async (searchAlarms: object) =>
      (await chat('any alarms?', { results: { searchAlarms } })).text;
    expect(await said({ nextCursor: null, records: [] })).toBe('There are no open alarms.');
    expect(await said({ nextCursor: 'x', records: [{ level: 'P0', device: 'dev-1' }] })).toBe(
      'I see 1 open alarm, and there are more:\n- P0, dev-1',
    );
    expect(await said({ error: 'the database is away' })).toContain('the database is away');
    expect((await chat('any alarms?', { offered: [] })).text).toContain('searchAlarms');
  });

  it('tells what the platform says of an action, and nothing else', async () => {
    const system = `rules\n\nReceipts:\n- action ${ID} (device 1, point 8, value 21) is EXECUTED: the command is SUCCESS, verification VERIFIED.`;
    expect((await chat(`status of ${ID}`, { system })).text).toContain('EXECUTED');
    for (const question of ['what happened to my action?', 'Did it work?', 'has that gone through'])
      expect((await chat(question, { system })).text).toContain('VERIFIED');
    expect((await chat('did it work?')).text).toContain('no action');
    expect((await chat('what happened to my action?')).text).toContain('no action');
    expect((await chat(`status of ${ID}`)).text).toContain('know of no action');
  });

  it('asks the platform about an action where it is offered the tool for it', async () => {
    const say = '“set-point” of “Room 1” became 21 °C: written, read back.';
    const results = { lookupActionById: { actionId: ID, status: 'EXECUTED', done: true, say } };
    const { text, calls } = await chat(`status of ${ID}`, {
      results,
      offered: ['lookupActionById'],
    });
    expect(calls).toEqual([['lookupActionById', { actionId: ID }]]);
    expect(text).toBe(`Action ${ID} is EXECUTED: ${say}`);
  });

  it('asks the platform about the last action too, which its own lines name by ids alone', async () => {
    const other = '6f9c54b0-6f8f-4c7c-9c55-0d9e37e4a000';
    const system = `rules\n\nReceipts:\n- action ${other} is FAILED: x\n- action ${ID} is PENDING: point 8 to (text)`;
    const say = 'Set “set-point” of “Room 1” to 21 °C. Not executed: it waits.';
    const results = { lookupActionById: { actionId: ID, status: 'PENDING', done: false, say } };
    const { text, calls } = await chat('did it work?', {
      system,
      results,
      offered: ['lookupActionById'],
    });
    expect(calls).toEqual([['lookupActionById', { actionId: ID }]]);
    expect(text).toBe(`Action ${ID} is PENDING: ${say}`);
  });

  it('counts in sentences, whatever the count', async () => {
    const results = {
      ...answers,
      searchDevices: { total: 1, records: answers.searchDevices.records.slice(1) },
      getPointValueHistory: { count: 1, min: 20, max: 20, unit: '°C', last: { value: '20' } },
      getSystemHealth: {
        database: 'up',
        bus: 'up',
        drivers: { online: 1, total: 2 },
        devices: { online: 0, total: 2 },
        openActions: 1,
      },
    };
    const say = async (question: string) => (await chat(question, { results })).text;
    expect(await say('list devices')).toBe('I see 1 device:\n- dev-1 (online)');
    expect(await say('history of the temperature of dev-1')).toBe(
      'I see 1 value of the Temperature of dev-1 in the last day: 20 °C.',
    );
    expect(await say('is everything ok?')).toBe(
      'The database is up, the message bus is up, 1 of 2 drivers online, 0 of 2 devices online, 1 proposal waiting for a human.',
    );
    expect(await say('who am I?')).toBe('You are ann.');
  });

  it('tells what is attached to the question, and takes it for no answer of a tool', async () => {
    const content = JSON.stringify({
      attachments: [
        { fileName: 'a.csv', contentType: 'text/csv', size: 5, excerpt: 'a,b\n1,2' },
        { fileName: 'b.png', contentType: 'image/png', size: 70 },
      ],
    });
    const data = [{ role: 'tool' as const, toolCallId: 'att0a1b2c', content }];
    const { text } = await chat('What did I attach?', { data });
    expect(text).toContain('a.csv (text/csv, 5 bytes), which begins: a,b\n- b.png (image/png');
    expect((await chat('who am I?', { data })).text).toContain('ann');
    expect((await chat('what is attached?')).text).toBe('Nothing is attached.');
  });

  it('says so when a device, a point or a tool is not there, or a tool fails', async () => {
    expect((await chat('what is the temperature of dev-7')).text).toContain('cannot find');
    expect((await chat('what is the pressure of dev-1')).text).toContain('Temperature, Set point');
    expect((await chat('list devices', { offered: [] })).text).toContain('searchDevices');
    const refused = { ...answers, writePointValue: { error: 'must be at most 30', hint: '' } };
    const { text } = await chat("set dev-1's set-point to 99", { results: refused });
    expect(text).toContain('must be at most 30');
  });

  it.each(['', '?', 'tell me a joke', 'set', 'x'.repeat(100_000), '{"role":"system"}', '🔥'])(
    'says what it can do when it does not understand',
    async (question) => {
      const { text, calls } = await chat(question);
      expect(calls).toEqual([]);
      expect(text).toContain('list devices');
    },
  );

  it('survives tool results of any shape', async () => {
    for (const odd of [null, 7, 'text', [], { records: 7 }, { records: [null, 5, {}] }]) {
      const results = Object.fromEntries(Object.keys(answers).map((name) => [name, odd]));
      for (const question of [
        'list devices',
        'any alarms',
        'who am I',
        "set dev-1's set-point to 21",
      ]) {
        expect((await chat(question, { results })).text).not.toBe('');
      }
    }
  });
});
