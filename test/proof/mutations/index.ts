import { agentic } from './agentic.ts';
import { alarms } from './alarms.ts';
import { devices } from './devices.ts';
import { identity } from './identity.ts';
import { login } from './login.ts';
import { notifications } from './notifications.ts';
import { outcome } from './outcome.ts';
import { serving } from './serving.ts';

export const mutations = [
  ...agentic,
  ...alarms,
  ...devices,
  ...identity,
  ...login,
  ...notifications,
  ...outcome,
  ...serving,
];
