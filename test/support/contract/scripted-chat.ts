import type { AnswerFormat } from '../../../providers/request/options.ts';
import type { ModelMessage } from '../../../providers/request/provider.ts';
import { scripted } from '../../../providers/scripted/scripted.ts';
import { TestClock } from '../world/clock.ts';

const devices = {
  total: 2,
  returned: 2,
  records: [
    { deviceId: '11', deviceName: 'dev-10', deviceCode: 'dev-10' },
    { deviceId: '1', deviceName: 'dev-1', deviceCode: 'dev-1', status: 'online' },
  ],
};
const points = {
  total: 2,
  returned: 2,
  records: [
    { pointId: '7', pointName: 'Temperature', pointCode: 'temperature' },
    { pointId: '8', pointName: 'Set point', pointCode: 'set_point' },
  ],
};
export const ID = '6f9c54b0-6f8f-4c7c-9c55-0d9e37e4a001';
export const answers = {
  searchDevices: devices,
  searchPoints: points,
  getLatestPointValue: { value: '20.5', unit: '°C', createTime: '2026-01-05T08:00:00.000Z' },
  readPointValue: { status: 'SUCCESS', value: '20.6', unit: '°C' },
  getPointValueHistory: {
    count: 2,
    min: 20,
    max: 21,
    last: { value: '21' },
    samples: [{ value: '20' }, { value: '21' }],
  },
  writePointValue: { pendingConfirmation: true, actionId: ID, expiresAt: '2026-01-05T08:10:00Z' },
  getCurrentUserProfile: { userId: '5', userName: 'ann' },
  getSystemHealth: { database: 'up' },
  proposeUndo: {
    pendingConfirmation: true,
    actionId: '6f9c54b0-6f8f-4c7c-9c55-0d9e37e4a002',
    expiresAt: '2026-01-05T08:20:00Z',
  },
  lookupAlarmById: {
    alarmId: '31',
    value: '92 °C',
    condition: 'above 90 °C',
    causes: [{ say: 'the set-point was raised to 95 by ann' }, { say: 'pump 2 went offline' }],
  },
  getHandover: {
    since: '2026-01-05T00:00:00Z',
    needsAttention: [{ what: 'P1 fires: “Temperature” of “dev-1”', id: '31' }],
    changes: [{ say: '“ann” wrote 95 to “set-point” of “dev-1”' }],
  },
  searchAlarms: {
    counts: { firing: 1, recoveredUnconfirmed: 1 },
    nextCursor: null,
    records: [
      {
        alarmId: '31',
        state: 'FIRING',
        level: 'P1',
        since: '2026-01-05T07:00:00Z',
        device: 'dev-1',
        point: 'Temperature',
      },
      { state: 'RECOVERED', level: 'P2', since: '2026-01-05T06:00:00Z', device: 'dev-10' },
    ],
  },
};

type Talk = {
  /** By the name of the tool. */
  results?: Record<string, unknown>;
  system?: string;
  offered?: readonly string[];
  data?: readonly ModelMessage[];
  format?: AnswerFormat;
};

/** Plays the loop's part: runs the tools the model asks for until it has nothing more to ask. */
export async function chat(
  content: string,
  {
    results = answers,
    system = 'rules',
    offered = Object.keys(answers),
    data = [],
    format,
  }: Talk = {},
) {
  const messages: ModelMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content },
    ...data,
  ];
  const tools = offered.map((name) => ({ name, description: name, parameters: {} }));
  const calls: [string, unknown][] = [];
  const provider = scripted({ baseUrl: '', apiKey: '', clock: new TestClock(), egress: null });
  for (let round = 0; round < 8; round += 1) {
    let text = '';
    let wished = false;
    const { signal } = new AbortController();
    const request = { model: 'm', messages, tools, ...(format && { options: { format } }) };
    for await (const delta of provider.complete(request, signal)) {
      if (delta.type === 'text') text += delta.text;
      if (delta.type !== 'toolCall') continue;
      const { id = '', name = '', arguments: args = '' } = delta;
      wished = true;
      calls.push([name, JSON.parse(args)]);
      messages.push({ role: 'assistant', content: '', toolCalls: [{ id, name, arguments: args }] });
      messages.push({ role: 'tool', toolCallId: id, content: JSON.stringify(results[name]) });
    }
    if (!wished) return { text, calls };
  }
  throw new Error('the scripted model did not come to an end');
}
