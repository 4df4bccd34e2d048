import type { z } from 'zod';

import { allows } from '../../auth/permission/permission.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { AlarmReportAnswer } from './report-answer.ts';
import { report } from './report.ts';

const VALUES = 'svc-center-data:point_value:list';

export const ByAlarmId = input({ alarmId: Id });

/** The report of one alarm for people, with values where the caller may read them; throws NotFound. */
export const reported: Operation<
  z.output<typeof ByAlarmId>,
  z.output<typeof AlarmReportAnswer>
> = async (app, caller, { alarmId }) => {
  const withValues = allows(caller, VALUES);
  return AlarmReportAnswer.parse(
    await report(app, caller, { alarmId, withValues, withChanges: false }),
  );
};
