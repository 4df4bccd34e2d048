import type { z } from 'zod';

import type { Operation } from '../../../app.ts';
import { allows } from '../../../auth/rights/permission.ts';
import { Id } from '../../../core/input/id.ts';
import { input } from '../../../core/input/input.ts';
import { AlarmReportAnswer } from './answer.ts';
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
