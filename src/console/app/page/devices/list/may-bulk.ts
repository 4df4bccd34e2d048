import { may } from '../../../client/session.ts';

const MANAGER = 'svc-center-manager';
/** What can be done with several devices, and the right that it takes. */
export const BULK = {
  group: `${MANAGER}:group_bind:add`,
  label: `${MANAGER}:label_bind:add`,
  enable: `${MANAGER}:device:update`,
  disable: `${MANAGER}:device:update`,
  remove: `${MANAGER}:device:delete`,
} as const;
export type BulkWhat = keyof typeof BULK;

export const isBulkWhat = (given: string): given is BulkWhat => Object.hasOwn(BULK, given);

export const mayBulk = (): boolean => Object.values(BULK).some(may);
