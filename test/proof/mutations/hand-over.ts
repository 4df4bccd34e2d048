import { breaks } from './mutation.ts';

export const handOver = [
  breaks(
    'driver/lwm2m/driver.ts',
    'clock.now() - registration.heardAt : null',
    'clock.now() - registration.expiresAt : null',
    'contract/driver-lwm2m',
    'is held since it was heard last, also with a registration that has no end',
  ),
  breaks(
    'driver/sdk/serving.ts',
    'mine < (theirs ?? 0) + late',
    'mine < (theirs ?? 0)',
    'unit/driver-serving',
    'that waited while the bus was away ends no registration that was made after it',
  ),
  breaks(
    'src/manager/presence/lease.ts',
    'keepUnsent(app, tenantId, { deviceId });',
    'void [tenantId, deviceId, keepUnsent];',
    'api/serving',
    'that became free is told to the nodes when the bus takes it again',
  ),
  breaks(
    'src/bus/dead-letter.ts',
    '!PASSING.has(topic)',
    'PASSING.size > 0',
    'contract/bus',
    'never hands a command out again that became a dead letter',
  ),
  breaks(
    'src/manager/device/known-devices.ts',
    'sent.versions === known.versions',
    'sent.versions !== null',
    'api/driver-news',
    'is mended when news was lost on its way',
  ),
  breaks(
    'driver/lwm2m/registration/unknown-peer-limit.ts',
    'all.tokens -= 1;',
    '',
    'unit/lwm2m-registration',
    'leave unknown endpoints that ask too often without an answer',
  ),
];
