import { isOpen, writesOf } from '../../../card/action.ts';
import { Card as ReviewCard } from '../../../card/card.tsx';
import { Linking } from '../../../card/page-link.tsx';
import { presentOf, WriteCard, type WriteGiven } from '../../../card/write-card.tsx';
import { livePresence, liveValue } from '../../client/live.ts';
import { useWatch } from '../../client/use-live.ts';
import { Link } from '../../route/link.tsx';
import { Decide } from './decide.tsx';
import { Hour } from './hour.tsx';
import { Renewed } from './renewed.tsx';
import type { Card } from './use-card.ts';

type Given = {
  card: Card;
  again(): void;
  /** Without where it comes from: that is said around it. */
  isBrief?: boolean;
};

/** A proposal with all that a person weighs, its decision, and what became of it. */
export function Proposal({ card, again, isBrief = false }: Given) {
  const { action, fresh, look } = card;
  const writes = writesOf(action);
  useWatch(
    writes.map(({ deviceId, pointId }) => `${deviceId}:${pointId}`),
    writes.map(({ deviceId }) => deviceId),
  );
  return (
    <Linking.Provider value={Link}>
      <div class="review">
        {fresh && <Renewed fresh={fresh} look={look} />}
        <ReviewCard action={action} isBrief={isBrief} Write={LiveWrite} />
      </div>
      {isOpen(action) && <Decide action={action} isRenewed={fresh !== null} again={again} />}
    </Linking.Provider>
  );
}

/** A write with what is known of its point and device at this moment, and in the last hour. */
function LiveWrite(given: WriteGiven) {
  const { write, isOpen: isWaiting } = given;
  const live = liveValue(write.deviceId, write.pointId).value;
  const presence = livePresence(write.deviceId).value;
  const isFresh = live !== null && live.hasLatestValue && isWaiting;
  const present = {
    ...presentOf(write),
    ...(presence && { status: presence.status, offlineSince: presence.offlineSince }),
    ...(isFresh && { value: live.calValue, time: live.createTime }),
  };
  return (
    <WriteCard {...given} present={present}>
      {isWaiting && <Hour write={write} />}
    </WriteCard>
  );
}
