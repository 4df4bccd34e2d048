import { useState } from 'preact/hooks';

import { type Action, isOpen, type Write, writesOf } from '../../../card/action.ts';
import { Card as ReviewCard } from '../../../card/card.tsx';
import { Linking } from '../../../card/page-link.tsx';
import { presentOf, WriteCard, type WriteGiven } from '../../../card/write-card.tsx';
import { useAsk } from '../../client/ask.ts';
import { ticking } from '../../client/clock.ts';
import { livePresence, liveValue } from '../../client/live.ts';
import type { Parameters } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { useAgainOn, useWatch } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { Loaded } from '../../part/control/loaded.tsx';
import { Link } from '../../part/link.tsx';
import { Page } from '../../part/page.tsx';
import { Chip, Mark } from '../../part/value/mark.tsx';
import { Spark } from '../../part/value/spark.tsx';
import { actionState } from '../../part/value/state.ts';
import { reviewWords } from '../../word/review.ts';
import { Decide } from './decide.tsx';

/** `/review/:id`: one proposal, its decision, and what became of it. */
export function Review({ id = '' }: Parameters) {
  const asked = useAsk('GET /agentic/action/get', { actionId: id });
  useAgainOn(['action', 'command'], asked.again);
  if (asked.data === null)
    return (
      <Page title={reviewWords().title}>
        <Loaded asked={asked} rows={6} tall>
          {() => null}
        </Loaded>
      </Page>
    );
  return <Card latest={asked.data} again={asked.again} />;
}

function Card({ latest, again }: { latest: Action; again(): void }) {
  const card = useCard(latest);
  return (
    <Page title={reviewWords().title} state={<Chip {...actionState(card.action.status)} />}>
      <Proposal card={card} again={again} />
    </Page>
  );
}

type Given = {
  card: KeptCard;
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

type KeptCard = {
  /** What is shown and decided. */
  action: Action;
  /** The card that has taken its place meanwhile; null where none has. */
  fresh: Action | null;
  /** Shows the fresh one: the person asks for it. */
  look(): void;
};

/**
 * Keeps the card that the person has seen while the proposal waits: a renewed one is offered, never put in its place,
 * so that nothing pressed confirms what was not shown before. What is decided is shown as it is.
 */
export function useCard(latest: Action): KeptCard {
  const [seen, setSeen] = useState(latest);
  const isRenewed = isOpen(latest) && latest.digest !== seen.digest;
  return {
    action: isRenewed ? seen : latest,
    fresh: isRenewed ? latest : null,
    look: () => setSeen(latest),
  };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** As many as the endpoint gives. */
const MOST = 500;

/** The values of the point in the last hour, with the proposed one. */
function Hour({ write }: { write: Write }) {
  const { deviceId, pointId, limits, proposedValue, unit } = write;
  // Asked for anew once a minute.
  const to = Math.ceil(ticking.value / MINUTE_MS) * MINUTE_MS;
  const hourAgo = to - HOUR_MS;
  const asked = useAsk(
    'GET /data/point_value/list_history_by_device_id_and_point_id',
    may('svc-center-data:point_value:list')
      ? { deviceId, pointId, from: new Date(hourAgo).toISOString(), count: MOST }
      : null,
  );
  const values = (asked.data ?? []).flatMap(({ numValue, createTime }) =>
    numValue === null ? [] : [{ at: Date.parse(createTime), value: numValue }],
  );
  // A point that is measured often has more values in an hour than the endpoint gives.
  const isWhole = (asked.data?.length ?? 0) < MOST;
  const from = isWhole ? hourAgo : (values.at(-1)?.at ?? hourAgo);
  if (values.length < 2) return null;
  return (
    <Spark
      label={isWhole ? reviewWords().hour : reviewWords().last}
      values={values.toReversed()}
      from={from}
      to={to}
      target={Number(proposedValue)}
      low={limits.min}
      high={limits.max}
      unit={unit}
    />
  );
}

/** The card has changed since it was shown: what changed, and the way to the fresh one. */
function Renewed({ fresh, look }: { fresh: Action; look(): void }) {
  const w = reviewWords().renewed;
  return (
    <div class="panel attention" role="alert">
      <p class="note warning">
        <Mark shape="triangle" />
        <span class="strong">{w.title}</span>
      </p>
      <ul class="list" lang="en">
        {fresh.changes.map((change) => (
          <li key={change}>
            <bdi>{change}</bdi>
          </li>
        ))}
      </ul>
      <div class="row">
        <Button onPress={look}>{w.look}</Button>
      </div>
    </div>
  );
}
