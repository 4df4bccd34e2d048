import { breaks, type Mutation } from './mutation.ts';

/** What a newcomer and the existing web client meet first. */
export const firstMinutes: readonly Mutation[] = [
  breaks(
    'src/core/input/absent.ts',
    'value === null && !accepts(schema)',
    'value === undefined && !accepts(schema)',
    'unit/input-absent',
    'is the same as absent',
  ),
  breaks(
    'src/core/input/absent.ts',
    '? withoutNulls(bare.shape, value)',
    '? value',
    'unit/input-absent',
    'also deep in an object and in the objects of a list',
  ),
  breaks(
    'src/core/human-line.ts',
    "reasons(error).join('; because: ')",
    "reasons(error)[0] ?? ''",
    'unit/human-line',
    'says why something failed, without a stack and on one line',
  ),
  breaks(
    'src/agentic/message.ts',
    'content: content.text,',
    "content: '',",
    'api/message',
    'lists what was said in order, with the tools and actions of each answer',
  ),
  breaks(
    'src/alarm/alert.ts',
    'point: row.pointId }[source]',
    'point: row.deviceId }[source]',
    'conformance/spec/alarms',
    'dashboard/alert/page narrows by source, type and confirmation',
  ),
  breaks(
    'src/doors.ts',
    'await demandFree(lwm2m.host, lwm2m.port);',
    'await Promise.resolve();',
    'e2e/first-minutes',
    'is found for the LwM2M port too, before there is an admin',
  ),
  breaks(
    'src/cli/banner.ts',
    '    : firstLogin\n',
    '    : given\n',
    'e2e/first-minutes',
    'says that the password is the one set before, also where the variable is set',
  ),
  breaks(
    'src/cli/index.ts',
    "if (error.code !== 'EPIPE') throw error;",
    'throw error;',
    'e2e/first-minutes',
    'ends without a trace when its reader has seen enough',
  ),
  breaks(
    'src/gateway/start-page.ts',
    '...(swagger ? [OPERATIONS] : [])',
    'OPERATIONS',
    'api/start-page',
    'names no page of operations where there is none',
  ),
  breaks(
    'tools/define.ts',
    'Object.keys(shape).join',
    'keys.join',
    'api/mcp-arguments',
    'are refused with what it takes',
  ),
  breaks(
    'driver/simulator/main.ts',
    "if (event.event === 'updated' && !given.json) return;",
    '',
    'unit/driver-simulator',
    'says that it registered, and nothing of each update after that',
  ),
  breaks(
    'src/alarm/notify/notify-history.ts',
    'statusName: nameOf(DeliveryStatus, row.statusFlag),',
    "statusName: 'PENDING',",
    'api/notification-unruled',
    'tells of what is reported, of the types it asks for',
  ),
];
