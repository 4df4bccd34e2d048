import { breaks } from './mutation.ts';

export const evidence = [
  breaks(
    'src/data/command/evidence-sweep.ts',
    "    .where('issue', 'is', null)\n",
    '',
    'api/evidence',
    'is a past value that a person imported',
  ),
  breaks(
    'src/data/command/evidence-sweep.ts',
    'if (await isReconfigured(q, open)) return close(q, open, at);',
    '',
    'api/evidence',
    'is a reading in another scaling, or of another place: it closes the write and is named',
  ),
  breaks(
    'src/data/command/command-results.ts',
    "  if (result.errorCode !== '') return [];\n",
    '',
    'api/evidence',
    'is what a device in doubt answers to a read',
  ),
  breaks(
    'driver/sdk/command/command.ts',
    'responseValue: calValue, ...doubtOf(target) }',
    'responseValue: calValue }',
    'unit/driver-command',
    'to read a device in doubt says the doubt beside what was answered',
  ),
  breaks(
    'driver/sdk/command/effect-check.ts',
    '  if (isMissing(command))\n',
    '  if (isMissing(command) && command.value === null)\n',
    'unit/driver-effect',
    'is refused at once where that is',
  ),
  breaks(
    'src/data/change/change-row.ts',
    'HH24:MI:SS.US"Z"',
    'HH24:MI:SS.MS000"Z"',
    'api/change',
    'loses no row where the database knows a time to the microsecond',
  ),
  breaks(
    'src/data/command/before-value.ts',
    'if (stale || now - taken.getTime() > MAX_AGE_MS) return null;',
    'if (now - taken.getTime() > MAX_AGE_MS) return null;',
    'api/before-value',
    'is not known where a newer value should have come by then',
  ),
  breaks(
    'src/data/command/before-value.ts',
    'if (stale || now - taken.getTime() > MAX_AGE_MS) return null;',
    'if (stale) return null;',
    'api/before-value',
    'is not known from a value of minutes ago, however seldom its driver reads',
  ),
  breaks(
    'src/data/command/before-value.ts',
    '(await wasWritten(q, place, taken, now)) || ',
    '',
    'api/before-value',
    'is not known where another write may have set it since it was read',
  ),
  breaks(
    'src/data/command/before-value.ts',
    ' || (await wasChanged(q, place, taken))',
    '',
    'api/before-value',
    'is not known where the point was configured anew since it was read',
  ),
];
