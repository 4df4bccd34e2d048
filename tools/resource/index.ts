import type { Resource } from '../../src/app.ts';
import { actionResources } from './action.ts';
import { alarmResources } from './alarm.ts';
import { deviceResources } from './device.ts';
import { historyResources } from './history.ts';

/** What agents read by its URI: the same operations as the tools. Names come before what could be an id. */
export const resources: readonly Resource[] = [
  ...deviceResources,
  ...historyResources,
  ...alarmResources,
  ...actionResources,
];
