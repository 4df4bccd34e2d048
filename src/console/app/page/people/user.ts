import type { Schemas } from '../../client/operations.ts';
import { session } from '../../client/session.ts';

export type User = Schemas['User'];

export const nameOf = ({ nickName, userName }: User): string => nickName || userName;

/** Whether the person is the one that is logged in. */
export const isSelf = ({ principalId }: Pick<User, 'principalId'>): boolean =>
  principalId === session.value?.person.principalId;
