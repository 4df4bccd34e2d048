import { access } from './access.ts';
import { agentic } from './agentic.ts';
import { alarms } from './alarms.ts';
import { approvals } from './approvals.ts';
import { audits } from './audit.ts';
import { changes } from './changes.ts';
import { confirmation } from './confirmation.ts';
import { control } from './control.ts';
import { devices } from './devices.ts';
import { evidence } from './evidence.ts';
import { firstMinutes } from './first-minutes.ts';
import { handOver } from './hand-over.ts';
import { identity } from './identity.ts';
import { links } from './links.ts';
import { login } from './login.ts';
import { lwm2m } from './lwm2m.ts';
import { names } from './names.ts';
import { notifications } from './notifications.ts';
import { outcome } from './outcome.ts';
import { serving } from './serving.ts';
import { standing } from './standing.ts';
import { steps } from './steps.ts';
import { trips } from './trips.ts';
import { values } from './values.ts';

export const mutations = [
  ...access,
  ...agentic,
  ...alarms,
  ...approvals,
  ...audits,
  ...changes,
  ...confirmation,
  ...control,
  ...devices,
  ...evidence,
  ...firstMinutes,
  ...handOver,
  ...identity,
  ...links,
  ...login,
  ...lwm2m,
  ...names,
  ...notifications,
  ...outcome,
  ...serving,
  ...standing,
  ...steps,
  ...trips,
  ...values,
];
