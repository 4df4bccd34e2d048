import { useState } from 'preact/hooks';

import { useAsk } from '../client/ask.ts';
import type { Schemas } from '../client/operations.ts';
import { useAgainOn, useEvery } from '../client/use-live.ts';
import { noDataWords } from '../word/no-data.ts';
import { Button } from './control/button.tsx';
import { momentText } from './value/time.tsx';

/** Also without an event: what is due becomes overdue. */
const EVERY_MS = 15_000;

type Given = {
  of: Pick<Schemas['LatestValue'], 'deviceId' | 'pointId' | 'pointName' | 'valueIssue'>;
  /** Whether the reason is asked for at once; else by the person. */
  isAsked: boolean;
};

/** Why a point has no fresh and good value, and the next step; until that is known, what its driver says. */
export function NoData({ of, isAsked }: Given) {
  const w = noDataWords();
  const [isWanted, setWanted] = useState(isAsked);
  const { deviceId, pointId, pointName, valueIssue } = of;
  const { data, again } = useAsk(
    'GET /data/point_value/why',
    isWanted ? { deviceId, pointId } : null,
  );
  useAgainOn(['device'], again);
  useEvery(EVERY_MS, again);
  if (data !== null && data.cause !== 'ARRIVING') {
    const at = data.causeTime === null ? null : momentText(data.causeTime);
    return <small class="quiet">{w.sentence(data.sentence, data.cause, { ...data, at })}</small>;
  }
  return (
    <>
      {valueIssue !== null && (
        <small class="quiet" lang="en">
          {valueIssue}
        </small>
      )}
      {!isWanted && (
        <Button kind="quiet" label={w.askOf(pointName)} onPress={() => setWanted(true)}>
          {w.ask}
        </Button>
      )}
    </>
  );
}
