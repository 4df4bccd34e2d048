import { signal } from '@preact/signals';
import { render } from 'preact';

import { now, startClock } from '../app/client/clock.ts';
import { Button } from '../app/part/control/button.tsx';
import { Chip, Note, type State } from '../app/part/value/mark.tsx';
import { actionState } from '../app/part/value/state.ts';
import { Ago } from '../app/part/value/time.tsx';
import { reviewWords } from '../app/word/review.ts';
import { stateWords } from '../app/word/state.ts';
import { type Action, isWrite } from '../card/action.ts';
import { Card } from '../card/card.tsx';
import { Title } from '../card/title.tsx';
import { type Fields, isFields, listOf, textOf } from './fields.ts';
import { type Answer, begin, type Host, type View } from './host.ts';
import { type Displayed, Line } from './line.tsx';
import { viewWords } from './words.ts';

/** What is known of a proposal: its answer to the agent, and its card where the host hands that on. */
type Known = { fields: Fields; action: Action | null };

const isAction = (value: unknown): value is Action =>
  isFields(value) && typeof value['actionId'] === 'string' && Array.isArray(value['notes']);

const knownOf = ({ fields, forView: { action } }: Answer): Known => ({
  fields,
  action: isAction(action) ? action : null,
});

const isWaiting = (status: string): boolean =>
  status === 'PENDING' || status === 'PARTIALLY_CONFIRMED';
/** Whether what comes next is near enough to wait for. */
const isMoving = (status: string): boolean => isWaiting(status) || status === 'CONFIRMED';

const isStatus = (text: string): text is Action['status'] =>
  Object.hasOwn(stateWords().action, text);
const stateOf = (status: string): State =>
  isStatus(status) ? actionState(status) : { tone: 'idle', shape: 'ring', word: status };

/**
 * A proposal with its living receipt. It has no login and cannot decide: *Review* has the host open the review page,
 * which asks for one.
 */
function proposalView(host: Host): View {
  const proposed = signal<Fields>({});
  const known = signal<Known | null>(null);
  const shown = signal<Displayed>({ is: 'begun' });
  const trouble = signal<{ text: string; address: string } | null>(null);
  const followed = signal('');
  let ended = false;

  const keepUp = async (actionId: string): Promise<void> => {
    followed.value = actionId;
    trouble.value = null;
    const reached = await follow(host, actionId, (answer) => {
      if (ended || followed.value !== actionId) return false;
      known.value = knownOf(answer);
      return isMoving(textOf(answer.fields, 'status'));
    });
    if (ended || followed.value !== actionId) return;
    followed.value = '';
    if (!reached) trouble.value = { text: viewWords().proposal.lost, address: '' };
  };

  const review = async (url: string): Promise<void> => {
    if (host.canOpen && (await host.open(url))) return;
    trouble.value = { text: viewWords().proposal.notOpened, address: url };
  };

  function Screen() {
    const w = viewWords().proposal;
    if (known.value === null) return <Line shown={shown.value} begins={w.begins} />;
    const { fields, action } = known.value;
    const status = textOf(fields, 'status');
    const url = textOf(proposed.value, 'reviewUrl');
    const canReview = isWaiting(status) && /^https?:\/\//.test(url);
    return (
      <>
        <header class="head">
          <h1>{action ? <Named action={action} /> : <Places of={proposed.value} />}</h1>
          <Chip {...stateOf(status)} />
        </header>
        {action ? (
          <div class="review">
            <Card action={action} />
          </div>
        ) : (
          <p role="status">
            <bdi>{textOf(fields, 'say')}</bdi>
          </p>
        )}
        {trouble.value && (
          <Note tone="warning" shape="diamond" role="status">
            {trouble.value.text} <bdi>{trouble.value.address}</bdi>
          </Note>
        )}
        <div class="row">
          {canReview && (
            <Button kind="primary" onPress={() => void review(url)}>
              {w.review}
            </Button>
          )}
          {host.canCall && followed.value === '' && status !== 'EXECUTED' && (
            <Button onPress={() => void keepUp(textOf(proposed.value, 'actionId'))}>
              {w.again}
            </Button>
          )}
          {isWaiting(status) && (
            <span class="quiet">
              {reviewWords().decide.left} <Ago at={textOf(proposed.value, 'expiresAt')} />
            </span>
          )}
        </div>
        {canReview && <p class="small quiet">{w.elsewhere}</p>}
      </>
    );
  }

  startClock();
  render(<Screen />, document.querySelector('main') ?? document.body);
  return {
    answered(answer: Answer) {
      const { isError, fields, text } = answer;
      const actionId = textOf(fields, 'actionId');
      if (isError || actionId === '') {
        shown.value = { is: 'failed', text: text || viewWords().proposal.none };
        return;
      }
      proposed.value = fields;
      known.value = knownOf(answer);
      if (host.canCall && isMoving(textOf(fields, 'status'))) void keepUp(actionId);
    },
    cancelled: () => void (shown.value = { is: 'cancelled' }),
    ended: () => void (ended = true),
  };
}

function Named({ action }: { action: Action }) {
  const w = viewWords().proposal;
  if (action.steps.length > 0) return <>{w.several(action.steps.length)}</>;
  return (
    <>
      {isWrite(action) && w.write} <Title action={action} />
    </>
  );
}

/** The points of an answer. */
function Places({ of }: { of: Fields }) {
  const w = viewWords().proposal;
  const writes = listOf(of['writes']);
  if (writes.length > 0) return <>{w.several(writes.length)}</>;
  return (
    <>
      {w.write} <bdi>{textOf(of, 'deviceName')}</bdi> · <bdi>{textOf(of, 'pointName')}</bdi>
    </>
  );
}

void begin('proposal', proposalView);

const WAIT_S = 25;
/** Enough for the ten minutes in which a proposal can be decided, and for the write after it. */
const MAX_LOOKS = 40;
/** Between looks, also of a host that does not wait. */
const PAUSE_MS = 2_000;
const MAX_FAILURES = 5;

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Until the view is visible. */
async function seen(): Promise<void> {
  if (!document.hidden) return;
  await new Promise((resolve) => {
    document.addEventListener('visibilitychange', resolve, { once: true });
  });
  return seen();
}

/**
 * Looks the proposal up, at each change, until `goesOn` says no; false when it gave up: at most 40 times, and after
 * five failures in a row, with growing pauses.
 */
async function follow(
  host: Host,
  actionId: string,
  goesOn: (answer: Answer) => boolean,
): Promise<boolean> {
  let failures = 0;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    await seen();
    const began = now();
    const answer = await host.call('lookupActionById', { actionId, waitS: WAIT_S });
    failures = answer.isError ? failures + 1 : 0;
    if (failures === MAX_FAILURES) return false;
    if (!answer.isError && !goesOn(answer)) return true;
    await pause(Math.max(0, PAUSE_MS * 2 ** failures - (now() - began)));
  }
  return false;
}
