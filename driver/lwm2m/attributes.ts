import { attribute } from '../sdk/attribute.ts';
import type { Attribute } from '../sdk/driver.ts';

/** OMA LwM2M Core 1.1, 7.1: ids have 16 bits. */
const ID = { min: 0, max: 65_535 };

/** docs/specification/lwm2m.md, LwM2M driver attributes: set on the device. */
export const driverAttributes: readonly Attribute[] = [
  {
    ...attribute('endpoint', 'STRING', '', 'Endpoint name; exactly what the device registers with'),
    identity: true,
  },
  attribute('serverHost', 'STRING', '0.0.0.0', 'Names where the server listens, opens nothing'),
  attribute('serverPort', 'INT', '5683', 'Names the port of plain CoAP, opens none'),
  attribute('securePort', 'INT', '5684', 'Names the port of DTLS, opens none'),
  {
    ...attribute('securityMode', 'STRING', 'NOSEC', 'NOSEC, or PSK: served over DTLS alone'),
    provenBy: ['PSK'],
  },
  attribute(
    'pskIdentity',
    'STRING',
    '',
    'PSK identity when securityMode=PSK; without one the endpoint name',
  ),
  {
    ...attribute(
      'pskKey',
      'STRING',
      '',
      'Hex-encoded PSK key (8 to 64 bytes) when securityMode=PSK',
    ),
    secret: true,
  },
  {
    ...attribute('pskNextKey', 'STRING', '', 'Key that is to replace pskKey: both count while set'),
    secret: true,
  },
  attribute(
    'factoryIdentity',
    'STRING',
    '',
    'Bootstrap: identity of factoryKey; else the endpoint',
  ),
  {
    ...attribute(
      'factoryKey',
      'STRING',
      '',
      'Bootstrap: key from its factory, deleted once it registered with pskKey',
    ),
    secret: true,
  },
  attribute('serverUri', 'STRING', '', 'Bootstrap: where it is to register, as coaps://HOST:5684'),
  attribute('serverLifetime', 'INT', '3600', 'Bootstrap: seconds for which it is to register'),
  attribute('awakeTime', 'INT', '93', 'Queue mode: seconds for which it listens after it spoke'),
  attribute(
    'commandLife',
    'INT',
    '0',
    'Queue mode: seconds for which a command waits for it to wake; 0 is its lifetime',
  ),
  attribute(
    'trustedNetworks',
    'STRING',
    '',
    'In clear: networks, as 10.64.0.0/12, within which its address may change without an alarm',
  ),
  attribute(
    'observeComposite',
    'STRING',
    'false',
    'true: its observed points come in one observation, where it takes that (LwM2M 1.1)',
  ),
];

/** docs/specification/lwm2m.md, LwM2M driver attributes: set on each point. */
export const pointAttributes: readonly Attribute[] = [
  attribute('objectId', 'INT', '0', 'LwM2M object id', ID),
  attribute('objectInstanceId', 'INT', '0', 'Object instance id', ID),
  attribute('resourceId', 'INT', '0', 'Resource id', ID),
  attribute('resourceInstanceId', 'STRING', '', 'One instance of a multiple resource; empty: all'),
  attribute('observe', 'STRING', 'false', 'true: the device reports the point by itself'),
  attribute('pmin', 'INT', '0', 'Observed: seconds between two reports at least'),
  attribute('pmax', 'INT', '30', 'Observed: seconds between two reports at most'),
  attribute('gt', 'STRING', '', 'Observed: reported when the value rises above or falls below it'),
  attribute('lt', 'STRING', '', 'Observed: reported when the value falls below or rises above it'),
  attribute('st', 'STRING', '', 'Observed: reported when the value changed by as much'),
  attribute('operation', 'STRING', 'auto', 'auto, read-write or execute'),
  attribute('resourceType', 'STRING', 'auto', 'auto, value or opaque (bytes, as base64 text)'),
];
