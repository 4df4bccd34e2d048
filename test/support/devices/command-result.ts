import type { Payload } from '../../../src/bus/topic/topics.ts';

type Result = Payload<'svc.e.point_command_result'>;

/** The result of a command that succeeded, unless `given` says otherwise. */
export const resultOf = (
  given: Pick<Result, 'commandId' | 'tenantId'> & Partial<Result>,
): Result => ({
  schemaVersion: 1,
  status: 'SUCCESS',
  responseValue: null,
  readBack: null,
  errorCode: '',
  errorMessage: '',
  finishedAt: 0,
  ...given,
});

/** A result that is told from others by its number. */
export const numberedResult = (n: number, errorMessage = ''): Result =>
  resultOf({
    commandId: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    tenantId: '1',
    responseValue: String(n),
    errorMessage,
  });
