import type { Resource } from '../../src/kernel/app/app.ts';
import { byVariable } from '../prompt-complete.ts';
import { actionResources } from './action.ts';
import { alarmResources } from './alarm.ts';
import { deviceResources } from './device.ts';
import { firmwareResources } from './firmware.ts';
import { historyResources } from './history.ts';
import { registrationResources } from './registration.ts';

/**
 * Resources that agents read by URI: the same operations as the tools. Fixed URIs come before templates
 * that would match them.
 */
export const resources: readonly Resource[] = [
  ...deviceResources,
  ...registrationResources,
  ...firmwareResources,
  ...historyResources,
  ...alarmResources,
  ...actionResources,
].map((resource) => ({ ...resource, complete: byVariable }));
