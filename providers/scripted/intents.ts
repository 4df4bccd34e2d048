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

/** The platform puts the state of this conversation's actions into the system message, the newest last. */
const actionLines = (system: string): string[] =>
  system.split('\n').filter((line) => line.startsWith('- action '));

const lastAction = (system: string): string | undefined =>
  LAST_ACTION.exec(actionLines(system).at(-1) ?? '')?.[0];

/** The script of each request. */
export const scripts: Record<Request, (found: Record<string, string>, scene: Scene) => Script> = {
  undo,
  why,
  offline,
  handover,
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

function* history({ device = '', point = '', hours }: Record<string, string>): Script {
  const target = yield* findPoint(device, point);
  if (typeof target === 'string') return target;
  const { deviceId, pointId } = target;
  const answer = yield {
    tool: 'getPointValueHistory',
    arguments: { deviceId, pointId, rows: 5, ...(hours && { hours: Number(hours) }) },
  };
  const problem = fail(answer);
  if (problem) return problem;
  const name = `the ${target.pointName} of ${target.deviceName}`;
  const when = hours ? `the last ${counted(hours, 'hour')}` : 'the last day';
  const count = field(answer, 'count');
  if (count === '' || count === '0') return `There is no history of ${name} yet.`;
  const unit = field(answer, 'unit');
  const inUnit = (value: string): string => (unit === '' ? value : `${value} ${unit}`);
  const last = inUnit(valueText(part(answer, 'last')));
  if (count === '1') return `I see 1 value of ${name} in ${when}: ${last}.`;
  const samples = list(answer, 'samples').map(valueText).join(', ');
  return (
    `I see ${count} values of ${name} in ${when}, from ${field(answer, 'min')} to ` +
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
  return `I proposed to set the ${target.pointName} of ${target.deviceName} to ${bare}. ${waits(answer)}`;
}

function waits(proposal: unknown): string {
  const expires = field(proposal, 'expiresAt');
  return `Nothing has been written: action ${field(proposal, 'actionId')} waits for a human to confirm it${expires ? ` until ${expires}` : ''}.`;
}

function* undo({ id }: Record<string, string>, { system }: Scene): Script {
  const actionId = id?.toLowerCase() ?? lastAction(system);
  if (actionId === undefined) return 'There is no action in this conversation yet.';
  const answer = yield { tool: 'proposeUndo', arguments: { actionId } };
  return (
    fail(answer) ?? `I proposed to write back what action ${actionId} changed. ${waits(answer)}`
  );
}

function* offline({ device }: Record<string, string>): Script {
  if (device !== undefined) {
    const found = yield* findDevice(device);
    if (typeof found === 'string') return found;
    return `${found.deviceName} is ${field(found.record, 'status') || 'of unknown state'}${whyAway(found.record)}.`;
  }
  const answer = yield { tool: 'searchDevices', arguments: { status: 'offline', limit: 20 } };
  const problem = fail(answer);
  if (problem) return problem;
  const found = list(answer, 'records');
  if (found.length === 0) return 'No device is offline.';
  const lines = found.map((item) => `- ${field(item, 'deviceName')}${whyAway(item)}`);
  return `${counted(field(answer, 'total') || `${found.length}`, 'device')} offline:\n${lines.join('\n')}`;
}

function whyAway(device: unknown): string {
  const [since, reason] = [field(device, 'offlineSince'), field(device, 'statusReason')];
  return `${since && `, since ${since}`}${reason && ` (${reason})`}`;
}

function* why({ device }: Record<string, string>): Script {
  const named = device === undefined ? null : yield* findDevice(device);
  if (typeof named === 'string') return named;
  const where = named ? ` of ${named.deviceName}` : '';
  const open = yield { tool: 'searchAlarms', arguments: named ? { deviceId: named.deviceId } : {} };
  const unfound = fail(open);
  if (unfound) return unfound;
  const [first] = list(open, 'records');
  if (first === undefined) return `There are no open alarms${where}.`;
  const answer = yield { tool: 'lookupAlarmById', arguments: { alarmId: field(first, 'alarmId') } };
  const problem = fail(answer);
  if (problem) return problem;
  const [value, condition] = [field(answer, 'value'), field(answer, 'condition')];
  const measured = [value, condition && `(${condition})`].filter((text) => text !== '').join(' ');
  const causes = list(answer, 'causes').slice(0, 3);
  const lines = causes.map((cause) => `- ${field(cause, 'say')}`);
  return [
    `${alarmText(first).slice(2)}${measured && `: ${measured}`}.`,
    lines.length === 0
      ? 'Nothing that is stored explains it.'
      : `What may have caused it, the likeliest first:\n${lines.join('\n')}`,
  ].join(' ');
}

function* handover({ hours }: Record<string, string>): Script {
  const answer = yield { tool: 'getHandover', arguments: hours ? { since: `${hours} hours` } : {} };
  const problem = fail(answer);
  if (problem) return problem;
  const attention = list(answer, 'needsAttention').map((item) => `- ${field(item, 'what')}`);
  const changes = list(answer, 'changes').map((item) => `- ${field(item, 'say')}`);
  const since = `Since ${field(answer, 'since')}`;
  return [
    attention.length === 0
      ? `${since} nothing needs attention.`
      : `${since} this needs attention:\n${attention.join('\n')}`,
    ...(changes.length === 0 ? [] : [`What was changed:\n${changes.join('\n')}`]),
  ].join('\n');
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
  const lines = actionLines(system);
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
