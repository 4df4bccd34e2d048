import type { Schemas } from '../../client/operations.ts';

/** How many things of a handover a person should look at. */
export const eyesOn = ({ alarms, outages, pending, unknownWrites }: Schemas['Handover']): number =>
  (alarms?.firing ?? 0) +
  (outages?.offline ?? 0) +
  (pending?.length ?? 0) +
  (unknownWrites?.length ?? 0);
