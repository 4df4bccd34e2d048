import { breaks, type Mutation } from './mutation.ts';

/** Whose a device is, and what is true of what it was sent, broken one line at a time. */
export const lwm2m: readonly Mutation[] = [
  breaks(
    'src/manager/attribute/endpoint-claim.ts',
    '  if (refused) throw new Conflict(takenText(attribute));',
    '  void refused;',
    'api/endpoint-claim',
    'is refused in the same words to the tenant that has it',
  ),
  breaks(
    'src/manager/device/device.ts',
    "const IDENTITY = ['svc_driver_attribute_config', 'svc_endpoint_claim'] as const;",
    "const IDENTITY = ['svc_driver_attribute_config'] as const;",
    'api/endpoint-claim',
    'is free once its owner gives it up',
  ),
  breaks(
    'driver/lwm2m/registration/registration.ts',
    '    if (refusal === null) return null;',
    '    return null;',
    'contract/driver-lwm2m-claim',
    'with securityMode=PSK is refused on the clear port',
  ),
  breaks(
    'driver/lwm2m/takeover.ts',
    "    if (presence === 'present') return { code: Code.FORBIDDEN };\n",
    '',
    'contract/driver-lwm2m-takeover',
    'is refused while the device answers, and the writes go on to the device',
  ),
  breaks(
    'driver/sdk/command/command.ts',
    '...(doubtOf(target) ?? held)',
    '...{ ...doubtOf(target), ...held }',
    'contract/driver-lwm2m-takeover',
    'gets it when the device is silent: with an alarm, and nothing verified until it is confirmed',
  ),
  breaks(
    'src/alarm/alarm/acknowledged.ts',
    "${confirmed ? reference : ''}",
    "${''}",
    'api/peer-changed',
    'is never VERIFIED before a person confirmed the alarm about it',
  ),
  breaks(
    'driver/lwm2m/resource-request.ts',
    '  const payload = executeArguments(execution);',
    "  const payload = Buffer.from('1');",
    'unit/lwm2m-exchange',
    'is executed without any payload',
  ),
  breaks(
    'driver/lwm2m/codec/tlv.ts',
    "  if (type === 'OPAQUE') return opaqueBytes(value);\n",
    "  if (type === 'OPAQUE') return Buffer.from(value);\n",
    'unit/lwm2m-exchange',
    'are written as bytes to a device of',
  ),
  breaks(
    'driver/coap/exchange/transfer.ts',
    "      throw new CoapFailure('bad-response', 'a success without Block1 before the last block');",
    '      return response;',
    'conformance/coap/block',
    'does not take a success without Block1 before the last block for the end of the upload',
  ),
  breaks(
    'driver/sdk/collect.ts',
    '!SILENT.has(error.code)',
    "error.code === 'VALUE_INVALID'",
    'unit/driver-collect',
    'is told as BAD with the reason, and the others are read',
  ),
  breaks(
    'driver/lwm2m/registration/request.ts',
    'const BINDING = /^(?=.*U)[UMHTSNQ]{1,8}$/;',
    'const BINDING = /^[UMHTSNQ]{1,8}$/;',
    'unit/lwm2m-registration',
    'keep the binding when an update asks for',
  ),
  breaks(
    'driver/lwm2m/operation/call.ts',
    "    throw failed(error, 'UNKNOWN');",
    "    throw failed(error, 'FAILED');",
    'contract/driver-lwm2m-operations',
    'is UNKNOWN without an answer and after 5.00, FAILED after 4.05',
  ),
];
