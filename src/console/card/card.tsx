import type { ComponentType } from 'preact';

import { Facts } from '../app/part/page.tsx';
import { ProgressPath } from '../app/part/path.tsx';
import { progressOf } from '../app/part/progress.ts';
import { Amount } from '../app/part/value/amount.tsx';
import { Ago, Moment } from '../app/part/value/time.tsx';
import { progressWords, reviewWords } from '../app/word/review.ts';
import { type Action, isOpen, isWrite, writesOf } from './action.ts';
import { AlarmCard } from './alarm-card.tsx';
import { Notes } from './notes.tsx';
import { OnboardingCard } from './onboarding-card.tsx';
import { FirmwareCard, RolloutCounts } from './rollout.tsx';
import { WriteCard, type WriteGiven } from './write-card.tsx';

type Given = {
  action: Action;
  /** Without where it comes from: that is said around it. */
  isBrief?: boolean;
  /** How a write is drawn, where more is known of it by now. */
  Write?: ComponentType<WriteGiven>;
};

/** All that a person weighs of a proposal, and what became of it: the same in the console and in a view. */
export const Card = ({ action, isBrief = false, Write = WriteCard }: Given) => (
  <>
    {action.firmware && <FirmwareCard firmware={action.firmware} />}
    {action.alarm && <AlarmCard alarm={action.alarm} />}
    {action.onboarding && <OnboardingCard action={action} onboarding={action.onboarding} />}
    {writesOf(action).map((write, index, all) => (
      <Write
        key={`${write.deviceId}:${write.pointId}`}
        write={write}
        number={all.length > 1 ? index + 1 : null}
        step={action.steps[index] ?? null}
        isOpen={isOpen(action)}
      />
    ))}
    <Reason action={action} />
    <Notes action={action} />
    <Outcome action={action} />
    {!isBrief && <Origin action={action} />}
  </>
);

/** Of the stages of a write, those that any proposal has. */
const DECIDED = 2;

/** The way from the proposal to what the device holds, as it happens, and the one sentence of its outcome. */
function Outcome({ action }: { action: Action }) {
  const w = progressWords();
  const { command, unit, firmware } = action;
  const course = progressOf(action);
  return (
    <section class="panel" aria-live="polite">
      <h2>{w.title}</h2>
      <ProgressPath course={isWrite(action) ? course : course.slice(0, DECIDED)} />
      {!isOpen(action) && (
        <p class="outcome" lang="en">
          {action.say}
        </p>
      )}
      {firmware && <RolloutCounts firmware={firmware} />}
      {command && (
        <Facts
          of={[
            [w.asked, <Amount value={command.requestValue} unit={unit} />],
            [
              w.readBack,
              command.readBackValue && <Amount value={command.readBackValue} unit={unit} />,
            ],
            [w.before, command.beforeValue && <Amount value={command.beforeValue} unit={unit} />],
            [w.error, command.errorCode],
          ]}
        />
      )}
    </section>
  );
}

/** Why the agent asks for it, in its own words. */
function Reason({ action }: { action: Action }) {
  const { reason, proposerName } = action;
  if (reason === '') return null;
  return (
    <figure class="panel">
      <figcaption class="small quiet">
        {reviewWords().origin.reason} · <bdi>{proposerName}</bdi>
      </figcaption>
      <blockquote>{reason}</blockquote>
    </figure>
  );
}

/** The proposer and the door, and the person that decided. */
function Origin({ action }: { action: Action }) {
  const w = reviewWords().origin;
  const { conversationId, comment } = action;
  return (
    <section class="panel">
      <h2>{w.title}</h2>
      <Facts
        of={[
          [w.by, <bdi>{action.proposerName}</bdi>],
          [w.via, viaOf(action.proposedVia)],
          [w.conversation, conversationId !== '' && <bdi class="cut">{conversationId}</bdi>],
          [w.made, <Ago at={action.createTime} />],
          [w.until, isOpen(action) && <Moment at={action.expiresAt} seconds />],
          [w.decided, action.decidedName !== '' && <bdi>{action.decidedName}</bdi>],
          [w.decidedAt, action.decidedTime && <Moment at={action.decidedTime} seconds />],
          [w.beforehand, action.beforehand && w.left(action.beforehand.left)],
          [w.comment, comment !== '' && <bdi>{comment}</bdi>],
          [w.digest, <code class="cut">{action.digest.slice(0, 16)}</code>],
        ]}
      />
    </section>
  );
}

function viaOf(via: string): string {
  const { doors } = reviewWords().origin;
  return Object.entries(doors).find(([door]) => door === via)?.[1] ?? via;
}
