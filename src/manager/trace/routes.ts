import { get, type Route } from '../../kernel/app/route.ts';
import { OfDevice } from '../entity/of.ts';
import { DeviceTrace, traceOf } from './device-trace.ts';

/** What was exchanged with devices last. */
export const routes: readonly Route[] = [
  get(
    '/device/trace/get_by_device_id',
    {
      needs: 'device_trace:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers the last exchanges with a device, decoded, from the memory of its driver',
      reason: 'docs/specification/lwm2m.md, Trace',
      input: OfDevice,
      output: DeviceTrace,
    },
    traceOf,
  ),
];
