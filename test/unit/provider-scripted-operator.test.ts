import { describe, expect, it } from 'vitest';

import { answers, chat, ID } from '../support/contract/scripted-chat.ts';

describe('what an operator asks the scripted model', () => {
  it('says which devices are offline, since when and why, or that none is', async () => {
    const away = {
      deviceId: '2',
      deviceName: 'dev-2',
      status: 'offline',
      offlineSince: '2026-01-05T07:00:00Z',
      statusReason: 'it stopped sending',
    };
    const one = { ...answers, searchDevices: { total: 1, records: [away] } };
    const { text, calls } = await chat('which devices are offline?', { results: one });
    expect(calls).toEqual([['searchDevices', { status: 'offline', limit: 20 }]]);
    expect(text).toBe(
      '1 device offline:\n- dev-2, since 2026-01-05T07:00:00Z (it stopped sending)',
    );
    const none = { ...answers, searchDevices: { total: 0, records: [] } };
    expect((await chat('哪些设备离线？', { results: none })).text).toBe('No device is offline.');
    expect((await chat('is dev-1 online?')).text).toBe('dev-1 is online.');
  });

  it('tells why there is an alarm, by the causes that the platform ranked', async () => {
    const { text, calls } = await chat('Warum gibt es einen Alarm?');
    expect(calls).toEqual([
      ['searchAlarms', {}],
      ['lookupAlarmById', { alarmId: '31' }],
    ]);
    expect(text).toBe(
      'FIRING P1, Temperature of dev-1, since 2026-01-05T07:00:00Z: 92 °C (above 90 °C). ' +
        'What may have caused it, the likeliest first:\n- the set-point was raised to 95 by ann\n- pump 2 went offline',
    );
    const unknown = { ...answers, lookupAlarmById: { alarmId: '31' } };
    expect((await chat('why did the alarm fire', { results: unknown })).text).toContain(
      'Nothing that is stored explains it.',
    );
  });

  it('tells what happened, as the handover has it', async () => {
    const { text, calls } = await chat('what happened in the last 8 hours?');
    expect(calls).toEqual([['getHandover', { since: '8 hours' }]]);
    expect(text).toContain('- P1 fires: “Temperature” of “dev-1”');
    expect(text).toContain('What was changed:\n- “ann” wrote 95');
  });

  it('proposes to undo the last action of the conversation, or the one that is named', async () => {
    const system = `rules\n- action ${ID}: EXECUTED`;
    const { text, calls } = await chat('undo it', { system });
    expect(calls).toEqual([['proposeUndo', { actionId: ID }]]);
    expect(text).toContain('Nothing has been written: action 6f9c54b0-6f8f-4c7c-9c55-0d9e37e4a002');
    expect((await chat(`撤销 ${ID}`)).calls).toEqual([['proposeUndo', { actionId: ID }]]);
    expect((await chat('undo it')).text).toBe('There is no action in this conversation yet.');
  });

  it('reads the history of the hours that are named', async () => {
    const { text, calls } = await chat('history of the temperature of dev-1 in the last 6 hours');
    expect(calls.at(-1)).toEqual([
      'getPointValueHistory',
      { deviceId: '1', pointId: '7', rows: 5, hours: 6 },
    ]);
    expect(text).toContain('in the last 6 hours');
  });

  it('answers as JSON where that is asked for, after its calls as well', async () => {
    const format = { type: 'json_object' } as const;
    const { text } = await chat('who am I', { format });
    expect(JSON.parse(text)).toEqual({ answer: 'You are ann.' });
    expect(JSON.parse((await chat('tell me a joke', { format })).text)).toHaveProperty('answer');
  });
});
