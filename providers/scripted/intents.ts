import type { Request } from './phrases.ts';
import {
  fail,
  field,
  findDevice,
  findPoint,
  list,
  part,
  type Scene,
  type Script,
  valueText,
} from './steps.ts';

const ACTION_ID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

const LAST_ACTION = new RegExp(ACTION_ID);

/** The script of each request. */
export const scripts: Record<Request, (found: Record<string, string>, scene: Scene) => Script> = {
  propose,
  action,
  attached,
  history,
  read,
  alarms,
  devices,
  points,
  whoAmI,
  health,
  latest,
};

function* latest({ device = '', point = '' }: Record<string, string>): Script {
  const target = yield* findPoint(device, point);
  if (typeof target === 'string') return target;
  const { deviceId, pointId } = target;
  const answer = yield { tool: 'getLatestPointValue', arguments: { deviceId, pointId } };
  const problem = fail(answer);
  if (problem) return problem;
  const when = field(answer, 'createTime');
  const overdue =
    field(answer, 'stale') === 'true' ? `, ${field(answer, 'ageS')} s ago: it is stale` : '';
  return `The ${target.pointName} of ${target.deviceName} is ${valueText(answer)}${when ? ` (as of ${when}${overdue})` : ''}.`;
}

function* read({ device = '', point = '' }: Record<string, string>): Script {
  const target = yield* findPoint(device, point);
  if (typeof target === 'string') return target;
  const { deviceId, pointId } = target;
  const answer = yield { tool: 'readPointValue', arguments: { deviceId, pointId } };
  const problem = fail(answer);
  if (problem) return problem;
  const status = field(answer, 'status');
  return status && status !== 'SUCCESS'
    ? `Reading the ${target.pointName} of ${target.deviceName} ended ${status}; I have no value.`
    : `I asked the device: the ${target.pointName} of ${target.deviceName} is ${valueText(answer)}.`;
}

function* history({ device = '', point = '' }: Record<string, string>): Script {
  const target = yield* findPoint(device, point);
  if (typeof target === 'string') return target;
  const { deviceId, pointId } = target;
  const answer = yield {
    tool: 'getPointValueHistory',
    arguments: { deviceId, pointId, maxSamples: 5 },
  };
  const problem = fail(answer);
  if (problem) return problem;
  const name = `the ${target.pointName} of ${target.deviceName}`;
  const count = field(answer, 'count');
  if (count === '' || count === '0') return `There is no history of ${name} yet.`;
  const unit = field(answer, 'unit');
  const inUnit = (value: string): string => (unit === '' ? value : `${value} ${unit}`);
  const last = inUnit(valueText(part(answer, 'last')));
  if (count === '1') return `I see 1 value of ${name} in the last day: ${last}.`;
  const samples = list(answer, 'samples').map(valueText).join(', ');
  return (
    `I see ${count} values of ${name} in the last day, from ${field(answer, 'min')} to ` +
    `${inUnit(field(answer, 'max'))}, the last ${last}${samples ? `; samples: ${samples}` : ''}.`
  );
}

function* propose({ device = '', point = '', value = '' }: Record<string, string>): Script {
  const target = yield* findPoint(device, point);
  if (typeof target === 'string') return target;
  const { deviceId, pointId } = target;
  const bare = value
    .replace(/^"(.*)"$/, '$1')
    .replace(
      /^([+-]?\d+(?:\.\d+)?) ?(?:°? ?[CF]|%|°|℃|degrees?(?: celsius)?|grad(?: celsius)?|摄氏度|度)$/iu,
      '$1',
    );
  const answer = yield { tool: 'writePointValue', arguments: { deviceId, pointId, value: bare } };
  const problem = fail(answer);
  if (problem) return problem;
  const expires = field(answer, 'expiresAt');
  return (
    `I proposed to set the ${target.pointName} of ${target.deviceName} to ${bare}. ` +
    `Nothing has been written: action ${field(answer, 'actionId')} waits for a human to confirm it` +
    `${expires ? ` until ${expires}` : ''}.`
  );
}

function* devices(): Script {
  const answer = yield { tool: 'searchDevices', arguments: { limit: 20 } };
  const problem = fail(answer);
  if (problem) return problem;
  const found = list(answer, 'records');
  if (found.length === 0) return 'There are no devices that I can see.';
  const lines = found.map((item) => {
    const status = field(item, 'status');
    return `- ${field(item, 'deviceName')}${status ? ` (${status})` : ''}`;
  });
  return `I see ${counted(field(answer, 'total') || `${found.length}`, 'device')}:\n${lines.join('\n')}`;
}

function* points({ device = '' }: Record<string, string>): Script {
  const found = yield* findDevice(device);
  if (typeof found === 'string') return found;
  const answer = yield { tool: 'searchPoints', arguments: { deviceId: found.deviceId, limit: 20 } };
  const problem = fail(answer);
  if (problem) return problem;
  const lines = list(answer, 'records').map((item) => {
    const unit = field(item, 'unit');
    return `- ${field(item, 'pointName')}${unit ? ` (${unit})` : ''}`;
  });
  if (lines.length === 0) return `${found.deviceName} has no points.`;
  return `${found.deviceName} has ${counted(field(answer, 'total') || `${lines.length}`, 'point')}:\n${lines.join('\n')}`;
}

function* alarms({ device }: Record<string, string>): Script {
  const named = device === undefined ? null : yield* findDevice(device);
  if (typeof named === 'string') return named;
  const answer = yield {
    tool: 'searchAlarms',
    arguments: named ? { deviceId: named.deviceId } : {},
  };
  const problem = fail(answer);
  if (problem) return problem;
  const lines = list(answer, 'records').map(alarmText);
  const where = named ? ` of ${named.deviceName}` : '';
  if (lines.length === 0) return `There are no open alarms${where}.`;
  const more = field(answer, 'nextCursor') === '' ? '' : ', and there are more';
  return `I see ${counted(`${lines.length}`, 'open alarm')}${where}${more}:\n${lines.join('\n')}`;
}

/** An alarm of a device or a driver has no point, and a reported one may name no device either. */
function alarmText(alarm: unknown): string {
  const what = ['state', 'level'].map((key) => field(alarm, key)).filter((text) => text !== '');
  const place = ['point', 'device'].map((key) => field(alarm, key)).filter((text) => text !== '');
  const since = field(alarm, 'since');
  return `- ${[what.join(' '), place.join(' of '), since && `since ${since}`].filter((text) => text !== '').join(', ')}`;
}

const counted = (count: string, noun: string): string =>
  `${count} ${noun}${count === '1' ? '' : 's'}`;

function* action({ id }: Record<string, string>, { system, tools }: Scene): Script {
  // The platform puts the state of this conversation's actions into the system message.
  const lines = system.split('\n').filter((line) => line.startsWith('- action '));
  const line = id ? lines.find((one) => one.includes(id.toLowerCase())) : lines.at(-1);
  // The system message has ids and numbers only; the sentence of the tool has the names.
  const meant = id?.toLowerCase() ?? LAST_ACTION.exec(line ?? '')?.[0];
  if (meant !== undefined && tools.has('lookupActionById')) {
    const answer = yield { tool: 'lookupActionById', arguments: { actionId: meant } };
    return fail(answer) ?? actionText(meant, answer);
  }
  if (line) return `According to the platform, ${line.slice(2)}`;
  return id
    ? `I know of no action ${id} in this conversation.`
    : 'There is no action in this conversation yet.';
}

// eslint-disable-next-line require-yield
function* attached(_found: Record<string, string>, { attachments }: Scene): Script {
  const lines = list(attachments, 'attachments').map((item) => {
    const begin = field(item, 'excerpt').split('\n')[0]?.slice(0, 80);
    const what = `${field(item, 'fileName')} (${field(item, 'contentType')}, ${field(item, 'size')} bytes)`;
    return `- ${what}${begin ? `, which begins: ${begin}` : ''}`;
  });
  return lines.length === 0 ? 'Nothing is attached.' : `You attached:\n${lines.join('\n')}`;
}

const actionText = (id: string, answer: unknown): string =>
  `Action ${id} is ${field(answer, 'status')}: ${field(answer, 'say')}`;

function* whoAmI(): Script {
  const answer = yield { tool: 'getCurrentUserProfile', arguments: {} };
  const problem = fail(answer);
  if (problem) return problem;
  const name = field(answer, 'nickName', 'nickname', 'userName', 'username', 'loginName', 'name');
  return `You are ${name || 'a user of this tenant'}.`;
}

function* health(): Script {
  const answer = yield { tool: 'getSystemHealth', arguments: {} };
  const problem = fail(answer);
  if (problem) return problem;
  const fleets = ['drivers', 'devices'].flatMap((what) => {
    const [online, total] = [
      field(part(answer, what), 'online'),
      field(part(answer, what), 'total'),
    ];
    return total === '' ? [] : [`${online} of ${total} ${what} online`];
  });
  const waiting = field(answer, 'openActions');
  return [
    `The database is ${field(answer, 'database') || 'not known'}`,
    `the message bus is ${field(answer, 'bus') || 'not known'}`,
    ...fleets,
    ...(waiting === '' ? [] : [`${counted(waiting, 'proposal')} waiting for a human`]),
  ]
    .join(', ')
    .concat('.');
}
